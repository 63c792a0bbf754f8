"""What every application says: Korean."""

from __future__ import annotations

KOREAN: dict[str, str] = {
    "skip": "본문으로 건너뛰기",
    "none": "없음",
    "dashboard": "작업 대시보드",
    "reads_only": "읽기 전용",
    "marks": ",.",
    "months": "1 2 3 4 5 6 7 8 9 10 11 12",
    "moment": "{year}년 {month}월 {day}일 {time} UTC",
    "live.lost": "지금은 화면이 갱신되지 않습니다. 곧 저절로 이어집니다.",
    "nav.label": "페이지",
    "language.label": "언어",
    "page.next": "더 보기",
    "problem.title.404": "여기에는 없습니다",
    "problem.title.403": "허용되지 않습니다",
    "problem.title.503": "지금은 안 됩니다",
    "problem.title.other": "잘 되지 않았습니다",
    "problem.400": "보낸 내용을 읽을 수 없습니다.",
    "problem.403": "그렇게 할 권한이 없습니다.",
    "problem.404": "이 주소에는 당신의 것이 없습니다.",
    "problem.409": "지금 있는 것과 맞지 않습니다.",
    "problem.413": "보낸 내용이 너무 큽니다.",
    "problem.422": "보낸 내용을 쓸 수 없습니다.",
    "problem.500": "문제가 생겼습니다. 서비스의 기록에 내용이 있습니다.",
    "problem.503": "지금 데이터베이스에 접속할 수 없습니다. 잠시 뒤에 다시 해 보세요.",
    "problem.wrong-scope": "여기에서는 읽기만 할 수 있습니다.",
    "problem.home": "첫 화면으로",
}
