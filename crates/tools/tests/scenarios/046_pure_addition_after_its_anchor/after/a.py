class A:
    def f(self):
        return 1

class B:
    x = 1
    def f(self):
        return 1
