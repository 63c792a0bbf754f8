"""The good part of the demo's web: pages that say what they are, in some languages."""

from __future__ import annotations

from leasehold_links.bookmarks.values import Root
from leasehold_links.demo.places import Place, article, encoded

_PICTURE = "http://hanbat.example/pictures/{}.jpg"

_KIMCHI = article(
    "김장, 처음이라도 괜찮아요",
    "배추 열 포기를 기준으로 절이기부터 담그기까지 이틀 동안 할 일을 순서대로 적었습니다.",
    language="ko",
    image="http://jang.example/kimchi.jpg",
)

NEWS = (
    Place(
        folder=("뉴스",),
        url="http://hanbat.example/",
        name="",
        reply=article(
            "한밭일보: 오늘의 동네 소식",
            "한밭의 골목과 시장, 학교와 강변에서 오늘 있었던 일을 가장 먼저 전합니다.",
            language="ko",
            image=_PICTURE.format("front"),
            site="한밭일보",
        ),
    ),
    Place(
        folder=("뉴스",),
        url="http://hanbat.example/2026/autumn-market",
        name="가을 장터",
        reply=article(
            "가을 장터에 다녀왔습니다",
            "사과와 밤, 갓 짠 참기름까지. 사흘 동안 열린 가을 장터를 사진과 함께 둘러봅니다.",
            language="ko",
            image=_PICTURE.format("market"),
            site="한밭일보",
        ),
        tags=("동네", "가을"),
    ),
    Place(
        folder=("뉴스",),
        url="http://hanbat.example/2026/night-bus",
        name="심야버스 노선",
        reply=article(
            "심야버스, 다음 달부터 강 건너까지",
            "막차가 끊긴 뒤에도 강을 건널 수 있게 됩니다. 바뀌는 노선과 시간을 정리했습니다.",
            language="ko",
            site="한밭일보",
        ),
    ),
    Place(
        folder=("뉴스", "World"),
        url="http://river-times.example/",
        name="The River Times",
        reply=article(
            "The River Times",
            "News from both banks of the river, every morning before the ferry leaves.",
            site="The River Times",
        ),
    ),
    Place(
        folder=("뉴스", "World"),
        url="http://river-times.example/ferries?utm_source=mail&line=7",
        name="",
        reply=article(
            "Why the number 7 ferry is always late",
            "We rode it for a week with a stopwatch. The tide is only half of the story.",
            site="The River Times",
        ),
    ),
)

WORK = (
    Place(
        folder=("개발",),
        url="http://docs.lantern.example/guide",
        name="Lantern guide",
        reply=article(
            "Getting started with Lantern",
            "Install it, light the first lantern and read what it writes: ten minutes in all.",
            site="Lantern",
        ),
    ),
    Place(
        folder=("개발",),
        url="http://docs.lantern.example/reference",
        name="",
        reply=article(
            "Lantern reference", "Every option, what it means, and when to leave it alone."
        ),
    ),
    Place(
        folder=("개발",),
        url="http://code.lantern.example/",
        name="Lantern source",
        reply=article("lantern: small lights for long nights", "The source, issues and releases."),
    ),
    Place(
        folder=("개발", "데이터베이스"),
        url="http://tables.example/locks",
        name="잠금 이야기",
        reply=article(
            "데이터베이스의 잠금을 이해하기",
            "먼저 잠그고, 그다음에 봅니다. 두 사람이 같은 줄을 고칠 때의 일을 그림으로 봅니다.",
            language="ko",
        ),
    ),
    Place(
        folder=("개발", "데이터베이스"),
        url="http://tables.example/queues",
        name="",
        reply=article(
            "A queue is a table with manners",
            "What it takes to hand each row to one worker, and to get it back when that one dies.",
        ),
    ),
)

KITCHEN = (
    Place(
        folder=("요리",),
        url="http://jang.example/kimchi",
        name="김장 준비",
        reply=_KIMCHI,
    ),
    Place(
        folder=("요리",),
        url="http://jang.example/doenjang",
        name="된장찌개",
        reply=article(
            "된장찌개를 맛있게 끓이는 법",
            "멸치 육수, 두부, 그리고 마지막에 넣는 고추.",
            language="ko",
        ),
    ),
    Place(
        folder=("요리", "Bread"),
        url="http://slow-bread.example/sourdough",
        name="Sourdough",
        reply=article(
            "Sourdough for people with little time",
            "Most of it is waiting. Here is how to wait well.",
            more="<p>Mix in the evening, fold once, and sleep.</p>",
        ),
    ),
    # It says no description: an excerpt of its text is shown.
    Place(
        folder=("요리", "Bread"),
        url="http://slow-bread.example/rye",
        name="",
        reply=(
            200,
            {"Content-Type": "text/html"},
            b"<title>Rye</title><main><p>" + b"Rye wants warmth and patience. " * 20 + b"</main>",
        ),
    ),
    # The same link again, in another folder and by way of a newsletter: one link, two places.
    Place(
        folder=("나중에 읽기",),
        url="http://jang.example/kimchi?utm_campaign=winter",
        name="김장 (다시)",
        reply=_KIMCHI,
        root=Root.UNFILED,
    ),
)

OLD_ENCODINGS = (
    Place(
        folder=("옛날 인터넷",),
        url="http://old-village.example/",
        name="",
        reply=encoded(
            "우리 마을 이야기",
            "1998년에 만든 홈페이지입니다. 방명록도 있습니다.",
            "euc-kr",
            declared="euc-kr",
        ),
    ),
    Place(
        folder=("옛날 인터넷",),
        url="http://old-village.example/guestbook",
        name="방명록",
        reply=encoded(
            "방명록: 다녀가신 분들의 이야기",
            "이 페이지는 글자 집합을 말하지 않습니다. " * 8,
            "cp949",
        ),
    ),
    Place(
        folder=("옛날 인터넷",),
        url="http://minato.example/",
        name="",
        reply=encoded(
            "港の日記",
            "毎朝、港まで歩いて船を見ています。今日は霧でした。",
            "shift_jis",
            declared="Shift_JIS",
        ),
    ),
    Place(
        folder=("옛날 인터넷",),
        url="http://chadian.example/",
        name="",
        reply=encoded("老街茶馆", "这里的茶从早上六点开始卖。", "gbk", declared="gb2312"),
    ),
)

GOOD = (*NEWS, *WORK, *KITCHEN, *OLD_ENCODINGS)
