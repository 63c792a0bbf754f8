"use strict";
// The chat: words are shown at once, the answer as it comes. Without a script the form does it, and the answer comes whole.
(function () {
  const form = document.getElementById("say");
  const scrolling = document.getElementById("scrolling");
  const toEnd = () => { scrolling.scrollTop = scrolling.scrollHeight; };
  toEnd();
  if (!form) return;
  const talk = document.getElementById("talk"), words = document.getElementById("words");
  const refusal = document.getElementById("refusal"), heard = document.getElementById("heard");
  const button = form.querySelector("button"), problems = JSON.parse(form.dataset.problems);

  function bubble(who, text) {
    const item = document.createElement("li"), line = document.createElement("p"), part = document.createElement("bdi");
    item.className = who;
    part.textContent = text;
    line.append(part);
    item.append(line);
    talk.append(item);
    toEnd();
    return { item, part };
  }

  // Events of a stream as they come; the pieces may be cut anywhere, also within a character.
  async function* eventsOf(answer) {
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let left = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (left + value).replaceAll("\r\n", "\n").split("\n\n");
      left = blocks.pop();
      for (const block of blocks) {
        const event = { name: "message", data: "" };
        for (const line of block.split("\n")) {
          if (line.startsWith("event:")) event.name = line.slice(6).trim();
          if (line.startsWith("data:")) event.data += line.slice(5).trimStart();
        }
        if (event.data) yield { name: event.name, told: JSON.parse(event.data) };
      }
    }
  }

  // How it ended: `isKept` when at least a part of the answer was stored, `why` when it is not whole.
  async function ask(text, answered) {
    const body = JSON.stringify({ text, sensitivity: form.elements.sensitivity.value });
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const answer = await fetch(form.dataset.chat, { method: "POST", headers, body });
    if (!answer.ok) return { isKept: false, why: form.dataset.failed };
    for await (const { name, told } of eventsOf(answer)) {
      if (name === "token") { answered.part.textContent += told.text; toEnd(); }
      if (name === "done") return { isKept: true, why: "" };
      if (name === "error") return troubled(told);
    }
    return { isKept: false, why: form.dataset.failed };
  }

  function troubled(told) {
    if (told.unit_id !== null) return { isKept: true, why: form.dataset.cutOff };
    return { isKept: false, why: problems[told.type.split(":").pop()] ?? form.dataset.failed };
  }

  async function send() {
    const text = words.value.trim();
    if (!text || button.disabled) return;
    button.disabled = true;
    refusal.textContent = "";
    heard.textContent = form.dataset.waiting;
    document.getElementById("nothing")?.remove();
    words.value = "";
    const mine = bubble("mine", text), answered = bubble("theirs", "");
    answered.item.setAttribute("aria-busy", "true");
    const ended = await ask(text, answered).catch(() => ({ isKept: false, why: form.dataset.failed }));
    answered.item.removeAttribute("aria-busy");
    button.disabled = false;
    heard.textContent = ended.isKept ? `${form.dataset.answered} ${answered.part.textContent}` : "";
    refusal.textContent = ended.why;
    if (!ended.isKept) takeBack(text, mine, answered);
    words.focus();
    kit.renew();
  }

  // What was not kept does not stay on the page; the words are there to be sent again.
  function takeBack(text, mine, answered) {
    mine.item.remove();
    answered.item.remove();
    words.value = text;
  }

  form.addEventListener("submit", (event) => { event.preventDefault(); send(); });
  // Enter sends, but not the one that ends a Japanese conversion.
  words.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    send();
  });
})();
