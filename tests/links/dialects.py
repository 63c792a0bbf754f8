# ruff: noqa: E501 - browsers do not break their lines
"""Bookmark files as each browser writes them: the shape is theirs, the entries are made up."""

from __future__ import annotations

ICON = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="

CHROME = f"""<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file.
     It will be read and overwritten.
     DO NOT EDIT! -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1685620800" LAST_MODIFIED="1685620801" PERSONAL_TOOLBAR_FOLDER="true">북마크바</H3>
    <DL><p>
        <DT><A HREF="https://example.com/list?id=1&amp;currentPage=2" ADD_DATE="1685620800" ICON="{ICON}">First &amp; best</A>
        <DT><H3 ADD_DATE="1685620800" LAST_MODIFIED="0">개발</H3>
        <DL><p>
            <DT><A HREF="https://example.org/" ADD_DATE="1685620800">둘째</A>
        </DL><p>
    </DL><p>
    <DT><A HREF="https://example.net/" ADD_DATE="1685620800">Third</A>
    <DT><A HREF="javascript:alert(1)" ADD_DATE="1685620800">Bookmarklet</A>
</DL><p>
"""

EDGE = (
    CHROME.replace("북마크바", "Favorites bar").replace("    <DT>", "\t<DT>").replace("\n", "\r\n")
)

FIREFOX = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file.
     It will be read and overwritten.
     DO NOT EDIT! -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<meta http-equiv="Content-Security-Policy"
      content="default-src 'self'; script-src 'none'; img-src data: *; object-src 'none'"></meta>
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks Menu</H1>

<DL><p>
    <DT><A HREF="place:type=6&sort=14&maxResults=10" ADD_DATE="1685620800">Recent tags</A>
    <HR>    <DT><H3 ADD_DATE="1685620800" LAST_MODIFIED="1685620800">Reading</H3>
    <DD>What I read on Sundays
    <DL><p>
        <DT><A HREF="https://example.com/a" ADD_DATE="1685620800" LAST_MODIFIED="1685620800" ICON_URI="https://example.com/favicon.ico" TAGS="one,two">A</A>
        <DD>A page about &lt;a&gt;
        <DT><A HREF="https://example.com/b" SHORTCUTURL="b">B</A>
    </DL><p>
    <DT><H3 ADD_DATE="1685620800" LAST_MODIFIED="1685620800" PERSONAL_TOOLBAR_FOLDER="true">Lesezeichen-Symbolleiste</H3>
    <DD>Add bookmarks to this folder to see them on the toolbar
    <DL><p>
        <DT><A HREF="https://example.com/bar">Bar</A>
    </DL><p>
    <DT><H3 ADD_DATE="1685620800" LAST_MODIFIED="1685620800" UNFILED_BOOKMARKS_FOLDER="true">Weitere Lesezeichen</H3>
    <DL><p>
        <DT><A HREF="https://example.com/unfiled">Unfiled</A>
    </DL><p>
</DL>
"""

SAFARI = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
\t<HTML>
\t<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
\t<Title>Bookmarks</Title>
\t<H1>Bookmarks</H1>
\t<DT><H3 FOLDED>Favorites</H3>
\t<DL><p>
\t\t<DT><A HREF="https://example.com/one">One</A>
\t</DL><p>
\t<DT><A HREF="https://example.com/loose">Loose</A>
\t<DT><H3 FOLDED id="com.apple.ReadingList">Reading List</H3>
\t<DL><p>
\t\t<DT><A HREF="https://example.com/later">Later</A>
\t</DL><p>
</HTML>
"""

INTERNET_EXPLORER = """\ufeff<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file.
It will be read and overwritten.
Do Not Edit! -->
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3 FOLDED ADD_DATE="1240000000">Links</H3>
    <DL><p>
        <DT><A HREF="http://example.com/ie" ADD_DATE="1240000000" LAST_VISIT="1240000001" LAST_MODIFIED="1240000002" >An old one</A>
    </DL><p>
    <DT><A HREF="http://example.com/root" ADD_DATE="1240000000" >Root</A>
</DL><p>
"""

POCKET = """<!DOCTYPE html>
<html>
\t<!--So long and thanks for all the fish-->
\t<head>
\t\t<meta http-equiv="Content-Type" content="text/html; charset=UTF-8" />
\t\t<title>Pocket Export</title>
\t</head>
\t<body>
\t\t<h1>Unread</h1>
\t\t<ul>
\t\t\t<li><a href="https://example.com/unread" time_added="1685620800" tags="news,long reads">To read</a></li>
\t\t</ul>

\t\t<h1>Read Archive</h1>
\t\t<ul>
\t\t\t<li><a href="https://example.com/read" time_added="1685620800" tags="">https://example.com/read</a></li>
\t\t</ul>
\t</body>
</html>
"""
