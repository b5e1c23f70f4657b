# Prices are whole cents.

# discount CENTS PERCENT: the price after the discount.
discount() {
    echo $(( $1 - $2 ))
}

# total CENTS COUNT: the price of several pieces.
total() {
    echo $(( $1 * $2 ))
}
