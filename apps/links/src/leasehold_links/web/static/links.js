"use strict";
// What only pages of the library do: progress of an import, and the states of links.
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
  if (matchMedia("(max-width: 56rem)").matches) document.querySelector(".tree details")?.removeAttribute("open");
})();
