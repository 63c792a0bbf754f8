"use strict";
// What pages of every application do beyond forms and links: times as one reads them, parts that live.
const kit = (function () {
  const language = document.documentElement.lang;
  const number = (value) => new Intl.NumberFormat(language).format(value);
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? number(values[name]) : whole));

  function localise(part) {
    const shown = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
    for (const each of part.querySelectorAll("time[datetime]")) each.textContent = shown.format(new Date(each.dateTime));
  }

  // One at a time, and once more for whoever asked meanwhile: the last one shows how it stands now.
  let renewing = null, isStale = false;
  function renew() {
    isStale = true;
    renewing ??= (async () => {
      try {
        while (isStale) { isStale = false; await renewOnce(); }
      } finally { renewing = null; }
    })();
    return renewing;
  }

  // The page again, and of it what lives; what somebody is busy with stays as it is.
  async function renewOnce() {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const old of document.querySelectorAll("[data-live]")) {
      const other = fresh.getElementById(old.id);
      if (!other || old.contains(document.activeElement)) continue;
      localise(other);
      if (old.innerHTML !== other.innerHTML) old.replaceWith(document.adoptNode(other));
    }
  }

  // A stream that comes back by itself; while it is away the page says so.
  function listen(address, name, heard, ended) {
    const stream = new EventSource(address);
    let told = null;
    stream.onopen = () => { told?.remove(); told = null; };
    stream.onerror = () => {
      if (told || stream.readyState === EventSource.CLOSED) return;
      told = document.createElement("p");
      told.className = "lost";
      told.setAttribute("role", "status");
      told.textContent = document.body.dataset.lost;
      document.body.append(told);
    };
    stream.addEventListener(name, (event) => heard(JSON.parse(event.data)));
    stream.addEventListener("end", () => { stream.close(); ended(); });
    addEventListener("pagehide", () => stream.close());
  }

  // What is followed changes on the page when it changes there. What is told first may be newer than the page already.
  function follow(part) {
    let before = null;
    listen(part.dataset.follow, part.dataset.event, (told) => {
      const now = JSON.stringify(told);
      if (before !== now) renew();
      before = now;
    }, renew);
  }

  localise(document);
  for (const each of document.querySelectorAll("[data-follow]")) follow(each);
  return { number, fill, localise, renew, listen };
})();
