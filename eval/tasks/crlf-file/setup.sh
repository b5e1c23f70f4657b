# Made here: a checkout may change the line ends of a file.
set -eu
printf '[disk]\r\nretries=3\r\npath=data\r\n\r\n[network]\r\nhost=example.com\r\nretries=3\r\ntimeout=10\r\n' >settings.ini
