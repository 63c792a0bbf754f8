"use strict";
// Runs before anything is drawn, so that a chosen theme does not flash.
(function () {
  let chosen = null;
  try {
    chosen = localStorage.getItem("leasehold-theme");
  } catch {
    // A browser that keeps nothing follows the system.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  document.documentElement.classList.add("scripted");
})();
