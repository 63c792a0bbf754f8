"""The words of the demo's page, in the languages of the library."""

from __future__ import annotations

TEXTS = {
    "en": {
        "title": "The web of the links demo",
        "about": "These addresses exist in this process only. The first start imported a bookmark "
        "file with all of them; the library asks each as it would ask a stranger.",
        "library": "Library",
        "dashboard": "Dashboard",
        "download": "The bookmark file",
        "address": "Address",
        "ends": "What comes of it",
        "visits": "Requests",
    },
    "ko": {
        "title": "링크 데모의 웹",
        "about": "이 주소들은 이 프로세스 안에만 있습니다. 처음 시작할 때 이 주소가 모두 담긴 "
        "북마크 파일을 가져왔고, 라이브러리는 낯선 곳을 대하듯 하나씩 물어봅니다.",
        "library": "라이브러리",
        "dashboard": "대시보드",
        "download": "북마크 파일",
        "address": "주소",
        "ends": "결과",
        "visits": "요청 수",
    },
}


def language_of(accepted: str) -> str:
    """Choose the first language that a browser asks for and we have."""
    asked = (each.partition(";")[0].strip().lower()[:2] for each in accepted.split(","))
    return next((language for language in asked if language in TEXTS), "en")
