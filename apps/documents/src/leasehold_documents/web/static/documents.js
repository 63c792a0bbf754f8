"use strict";
// What only pages of documents do: the ways to a drive and back are gone by themselves, and a file that is dropped, or
// chosen, is sent with a bar. Without a script they are a link and forms.
(function () {
  document.getElementById("leave")?.click();
  document.getElementById("arrive")?.requestSubmit();
  const form = document.getElementById("drop");
  if (!form) return;
  const input = document.getElementById("file"), sending = document.getElementById("sending"), refusal = document.getElementById("refusal");
  const bar = sending.querySelector("progress");
  for (const name of ["dragenter", "dragover"]) form.addEventListener(name, (event) => { event.preventDefault(); form.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) form.addEventListener(name, () => form.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) { input.files = event.dataTransfer.files; send(); }
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); if (input.files.length) send(); });

  function send() {
    const request = new XMLHttpRequest();
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
})();
