"""What every application says: Japanese."""

from __future__ import annotations

JAPANESE: dict[str, str] = {
    "skip": "本文へ移動",
    "none": "なし",
    "dashboard": "ジョブのダッシュボード",
    "reads_only": "閲覧のみ",
    "marks": ",.",
    "months": "1 2 3 4 5 6 7 8 9 10 11 12",
    "moment": "{year}年{month}月{day}日 {time} UTC",
    "live.lost": "いまは画面が更新されていません。まもなく自動で再開します。",
    "nav.label": "ページ",
    "language.label": "言語",
    "page.next": "さらに表示",
    "problem.title.404": "ここにはありません",
    "problem.title.403": "許可されていません",
    "problem.title.503": "いまはできません",
    "problem.title.other": "うまくいきませんでした",
    "problem.400": "送られた内容を読み取れません。",
    "problem.403": "この操作をする権限がありません。",
    "problem.404": "このアドレスには何もありません。",
    "problem.409": "いまの状態と合いません。",
    "problem.413": "送られた内容が大きすぎます。",
    "problem.422": "送られた内容は使えません。",
    "problem.500": "問題が起きました。詳しくはサービスのログにあります。",
    "problem.503": "いまはデータベースに接続できません。少し待ってからもう一度お試しください。",
    "problem.wrong-scope": "ここでは閲覧だけができます。",
    "problem.home": "最初のページへ",
}
