"use strict";
// What pages of every application do beyond forms and links: times as one reads them, parts that live, files that are dropped.
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

  // The page again, and of it what lives; what somebody is busy with stays as it is. What is to be followed only now, is.
  async function renewOnce() {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const old of document.querySelectorAll("[data-live]")) {
      const other = fresh.getElementById(old.id);
      if (!other) continue;
      if (other.dataset.follow && !old.dataset.follow) { Object.assign(old.dataset, other.dataset); follow(old); }
      if (old.contains(document.activeElement)) continue;
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

  // A form that takes a dropped file, and shows how much of it is sent. Without a script it is a form.
  function takeFiles(form) {
    const [input, sending, refusal] = ["file", "sending", "refusal"].map((id) => document.getElementById(id));
    const sendChosen = () => { if (input.files.length) send(form, input, sending, refusal); };
    for (const name of ["dragenter", "dragover"]) form.addEventListener(name, (event) => { event.preventDefault(); form.classList.add("over"); });
    for (const name of ["dragleave", "drop"]) form.addEventListener(name, () => form.classList.remove("over"));
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) { input.files = event.dataTransfer.files; sendChosen(); }
    });
    form.addEventListener("submit", (event) => { event.preventDefault(); sendChosen(); });
    if ("atOnce" in form.dataset) input.addEventListener("change", sendChosen);
  }

  function send(form, input, sending, refusal) {
    const request = new XMLHttpRequest(), bar = sending.querySelector("progress");
    const fail = (text) => { sending.hidden = true; refusal.textContent = text; input.value = ""; };
    refusal.textContent = "";
    sending.hidden = false;
    request.upload.onprogress = (event) => { if (event.lengthComputable) bar.value = (100 * event.loaded) / event.total; };
    request.onerror = () => fail(form.dataset.failed);
    request.onload = () => {
      if (request.status < 400) { location.assign(request.responseURL); return; }
      const page = new DOMParser().parseFromString(request.responseText, "text/html");
      fail(page.getElementById("refusal")?.textContent || form.dataset.failed);
    };
    request.open("POST", form.action);
    request.setRequestHeader("accept", "text/html");
    request.send(new FormData(form));
  }

  localise(document);
  for (const each of document.querySelectorAll("[data-follow]")) follow(each);
  for (const each of document.querySelectorAll("form.drop")) takeFiles(each);
  return { number, fill, localise, renew, listen };
})();
