"""Ways to make a fetcher reach what it must not; `{port}` is the canary's.

The canary listens on every address of this machine. Addresses of other machines stand here too:
what reaches for one of them is seen by the connection that it tries to make.
"""

# ruff: noqa: E501, RUF001, S104 - a table, whose odd letters and addresses are its point

_LOCAL_V4 = [
    "127.0.0.1", "127.0.0.2", "127.1.2.3", "127.255.255.254", "0.0.0.0", "0.1.2.3",
]  # fmt: skip
_ODD_V4 = [
    "127.1", "127.0.1", "0", "2130706433", "0x7f000001", "0x7F000001", "0x7f.0.0.1", "0x7f.1",
    "0x7f.0x0.0x0.0x1", "017700000001", "0177.0.0.1", "0177.0.0.01", "0177.1", "127.0.0.01",
    "127.0.0.0x1", "127.00.00.01", "00000177.0.0.1", "127.0.0.1.", "4294967295", "4294967296",
    "127.0.0.256", "127.0.0.1.1", "256.256.256.256", "0x", "0x.0x.0x.0x", "1.1", "0300.0250.0.1",
    "3232235521", "0xc0a80001", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376", "425.510.425.510",
]  # fmt: skip
_OTHER_V4 = [
    "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.254", "192.168.0.1", "192.168.1.254",
    "169.254.169.254", "169.254.170.2", "100.64.0.1", "100.100.100.200", "100.127.255.254",
    "168.63.129.16", "192.0.0.1", "192.0.0.192", "192.0.0.170", "192.0.2.1", "192.31.196.1",
    "192.52.193.1", "192.88.99.1", "192.175.48.1", "198.18.0.1", "198.19.255.254", "198.51.100.7",
    "203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
]  # fmt: skip
_V6 = [
    "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::127.0.0.1]", "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]", "[::FFFF:7F00:0001]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::ffff:0.0.0.0]",
    "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[::ffff:0:127.0.0.1]", "[::ffff:0:7f00:1]",
    "[::169.254.169.254]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b::8.8.8.8]", "[64:ff9b:1::7f00:1]", "[64:ff9b:1:1::a00:1]", "[2002:7f00:1::]",
    "[2002:7f00:1::1]", "[2002:a9fe:a9fe::1]", "[2002:c0a8:1::]", "[2002:808:808::1]",
    "[2001::1]", "[2001:0:7f00:1::]", "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
    "[2001:0:a00:1:0:0:80ff:fffe]", "[2600:1f18::5efe:127.0.0.1]", "[2600:1f18::200:5efe:7f00:1]",
    "[fe80::5efe:10.0.0.1]", "[fe80::1]", "[febf::1]", "[fec0::1]", "[feff::1]", "[fc00::1]",
    "[fd00::1]", "[fd00:ec2::254]", "[fd20:ce::254]", "[fdff:ffff::1]", "[ff02::1]", "[ff0e::1]",
    "[100::1]", "[2001:2::1]", "[2001:10::1]", "[2001:20::1]", "[2001:db8::1]", "[3fff::1]",
    "[3ffe::1]", "[5f00::1]", "[2620:4f:8000::1]", "[4000::1]", "[::2]", "[1::1]",
    "[fe80::1%25eth0]", "[fe80::1%eth0]", "[::1%25lo]", "[::1%lo]", "[::ffff:127.0.0.1%25lo]",
    "[v1.127.0.0.1]", "[127.0.0.1]", "[::1", "::1", "[[::1]]", "[::1]x", "[]",
]  # fmt: skip
_SPELLINGS = [
    "localhost", "LOCALHOST", "localhost.", "LocalHost.LocalDomain", "ip6-localhost",
    "①②⑦.⓪.⓪.①", "１２７.０.０.１", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "loc\u00adalhost",
    "loca\u200blhost", "ｌｏｃａｌｈｏｓｔ", "127%2e0%2e0%2e1", "%31%32%37.0.0.1", "localhost%00", "local%68ost",
    "127.0.0.1%00.example.com", "127.0.0.1%20", "127.0.0.1%0a", "127.0.0.1%23", "¹²⁷.⁰.⁰.¹",
    "𝟏𝟐𝟕.𝟎.𝟎.𝟏", "0Ⅹ7f000001", "⑯⑨.254.169.254", "[::①]", "[:：1]",
]  # fmt: skip
# Whole URLs, where programs do not agree on which part is the host.
_CONFUSIONS = [
    "http://public.test@127.0.0.1:{port}/", "http://public.test:80@127.0.0.1:{port}/",
    "http://public.test%40127.0.0.1:{port}/", "http://127.0.0.1:{port}@127.0.0.1:{port}/",
    "http://@127.0.0.1:{port}/", "http://:@127.0.0.1:{port}/", "http://a@b@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\@public.test/", "http://public.test\\@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\.public.test/", "http:\\\\127.0.0.1:{port}\\", "http:/\\127.0.0.1:{port}/",
    "http:127.0.0.1:{port}/", "http:/127.0.0.1:{port}/", "http:///127.0.0.1:{port}/",
    "http:////127.0.0.1:{port}/", "//127.0.0.1:{port}/", "///127.0.0.1:{port}/",
    "http://127.0.0.1:{port}#@public.test/", "http://127.0.0.1:{port}?@public.test/",
    "http://127.0.0.1:{port};@public.test/", "http://127.0.0.1:{port},public.test/",
    "http://127.0.0.1 :{port}/", "http:// 127.0.0.1:{port}/", "http://127.0.0.1\t:{port}/",
    "http://127.0.0.1\n:{port}/", "ht\ntp://127.0.0.1:{port}/", "http://127.0.0.1\r\nHost: x:{port}/",
    "http://127.0.0.1\x00.public.test:{port}/", "http://127.0.0.1:{port}\x00/",
    "\x01http://127.0.0.1:{port}/", " http://127.0.0.1:{port}/ ", "http://127.0.0.1:{port} /",
    "http://public.test:{port}:80@127.0.0.1:{port}/", "http://127.0.0.1:{port}:80/",
    "http://127.0.0.1::{port}/", "http://127.0.0.1:+{port}/", "http://127.0.0.1:-1/",
    "http://127.0.0.1:0{port}/", "http://127.0.0.1:{port}.0/", "http://127.0.0.1:99999/",
    "http://127.0.0.1:٨٠/", "http://[::1]:{port}@public.test/", "http://[public.test]@127.0.0.1:{port}/",
    "HTTP://127.0.0.1:{port}/", "hTtPs://127.0.0.1:{port}/", "http://127.0.0.1:{port}/%2e%2e/\u2028",
    "http://user:password@127.0.0.1:{port}/", "http://127.0.0.1:{port}/\ud800",
    "http://-:{port}/", "http://.:{port}/", "http://..:{port}/", "http://:{port}/", "http://",
]  # fmt: skip
_SCHEMES = [
    "file:///etc/passwd", "file://127.0.0.1/etc/passwd", "FILE:///etc/passwd", "ftp://127.0.0.1:{port}/",
    "gopher://127.0.0.1:{port}/_GET%20/", "dict://127.0.0.1:{port}/info", "ldap://127.0.0.1:{port}/",
    "tftp://127.0.0.1:{port}/x", "sftp://127.0.0.1:{port}/", "ssh://127.0.0.1:{port}/",
    "ws://127.0.0.1:{port}/", "wss://127.0.0.1:{port}/", "unix:///var/run/docker.sock",
    "http+unix://%2Fvar%2Frun%2Fdocker.sock/", "jar:http://127.0.0.1:{port}/!/", "netdoc:///etc/passwd",
    "data:text/html,hello", "javascript:alert(1)", "view-source:http://127.0.0.1:{port}/",
    "url:http://127.0.0.1:{port}/", "feed:http://127.0.0.1:{port}/", "about:blank", "", "127.0.0.1:{port}",
    "http", "httpx://127.0.0.1:{port}/", "shttp://127.0.0.1:{port}/",
]  # fmt: skip
_PORTS = [
    "http://public.test:22/", "http://public.test:25/", "http://public.test:6379/",
    "http://public.test:5432/", "http://public.test:11211/", "http://public.test:2375/",
    "http://public.test:0/", "http://public.test:65536/", "https://public.test:9200/",
]  # fmt: skip
HOSTS = [*_LOCAL_V4, *_ODD_V4, *_OTHER_V4, *_V6, *_SPELLINGS]
DIRECT = [
    *(f"http://{host}:{{port}}/" for host in HOSTS),
    *(f"https://{host}:{{port}}/" for host in (*_LOCAL_V4, *_V6[:8])),
    *_CONFUSIONS,
    *_SCHEMES,
    *_PORTS,
]
# What a name in the DNS may say; each of them is a name of its own.
ANSWERS = [
    *([each] for each in (*_LOCAL_V4, *_OTHER_V4)),
    *([each.strip("[]")] for each in _V6[:56]),
    ["127.0.0.2", "127.0.0.1"],  # the first is the site that may be reached
    ["127.0.0.2", "10.0.0.1"],
    ["127.0.0.2", "169.254.169.254"],
    ["127.0.0.2", "::1"],
    ["127.0.0.2", "fd00:ec2::254"],
    ["127.0.0.2", "::ffff:127.0.0.1"],
    ["8.8.8.8", "127.0.0.1"],
    ["2606:4700::1111", "::1"],
    [*["127.0.0.2"] * 30, "127.0.0.1"],
]
