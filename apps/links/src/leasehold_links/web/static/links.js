"use strict";
// What only pages of the library do: progress of an import, files that are dropped.
(function () {
  const { number, fill, renew, listen } = kit;
  const byId = (id) => document.getElementById(id);

  function followImport(panel) {
    const bar = byId("bar"), counted = byId("counted"), status = byId("status");
    listen(panel.dataset.import, "progress", (told) => {
      if (!told) return;
      if (told.total_items) { bar.max = told.total_items; bar.value = told.processed_items; }
      counted.textContent = fill(counted.dataset.text, { processed: told.processed_items, total: told.total_items });
      for (const name of ["imported", "duplicate", "skipped", "failed"]) byId(name).textContent = number(told[name + "_items"]);
      status.className = "badge " + told.status;
      status.textContent = status.dataset[told.status];
    }, renew);
  }

  // A form that takes a dropped file, and shows how much of it is sent. Without a script it is a form.
  function takeFiles(form) {
    const input = byId("file"), sending = byId("sending"), refusal = byId("refusal");
    const over = (event) => { event.preventDefault(); form.classList.add("over"); };
    const out = () => form.classList.remove("over");
    for (const name of ["dragenter", "dragover"]) form.addEventListener(name, over);
    for (const name of ["dragleave", "drop"]) form.addEventListener(name, out);
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) { input.files = event.dataTransfer.files; send(); }
    });
    input.addEventListener("change", () => { if (input.files.length) send(); });
    form.addEventListener("submit", (event) => { event.preventDefault(); if (input.files.length) send(); });

    function send() {
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
  }

  async function countStates(line) {
    const answer = await fetch(line.dataset.stats, { headers: { accept: "application/json" } });
    if (!answer.ok) return;
    const states = (await answer.json()).by_status;
    const waiting = states.queued + states.running + states.failed;
    if (!waiting && !states.succeeded && !states.dead) return;
    line.textContent = fill(line.dataset.text, { succeeded: states.succeeded, waiting, dead: states.dead });
    line.hidden = false;
  }

  // A picture that can't be had leaves no hole.
  document.addEventListener("error", (event) => { if (event.target.tagName === "IMG") event.target.remove(); }, true);
  for (const each of document.querySelectorAll("[data-import]")) followImport(each);
  for (const each of document.querySelectorAll("[data-stats]")) countStates(each);
  if (byId("drop")) takeFiles(byId("drop"));
  if (matchMedia("(max-width: 56rem)").matches) document.querySelector(".tree details")?.removeAttribute("open");
})();
