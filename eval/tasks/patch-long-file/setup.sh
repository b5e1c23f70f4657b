# A table of 120 services, of which many lines look alike.
set -eu
{
  echo '"""Where services are, and how long one waits for them."""'
  echo
  echo 'SERVICES = {'
  i=0
  while [ $i -lt 120 ]; do
    printf '    "service-%03d": {\n        "host": "10.0.0.%d",\n        "timeout": 30,\n    },\n' $i $i
    i=$((i + 1))
  done
  echo '}'
} >services.py
