"use strict";
// Makes pages live and quick to use. Every page can be read, and every form sent, without it.
(function () {
  const live = document.getElementById("live");
  const dialog = document.getElementById("dialog");
  const pulse = document.getElementById("pulse");
  const root = document.body.dataset.root;

  // -- moments --------------------------------------------------------------------------------
  function span(seconds) {
    const amount = Math.abs(seconds);
    if (amount < 10) return (amount < 1 ? Math.round(amount * 1000) + " ms" : amount.toFixed(1) + " s");
    if (amount < 60) return Math.round(amount) + " s";
    if (amount < 7200) return Math.round(amount / 60) + " m";
    if (amount < 172800) return Math.round(amount / 3600) + " h";
    return Math.round(amount / 86400) + " d";
  }
  // The server's clock is the one that counts; a page's is often wrong.
  const skew = Date.parse(document.body.dataset.now) - Date.now();
  function tell(time) {
    const seconds = (Date.now() + skew - Date.parse(time.dateTime)) / 1000;
    if (time.dataset.as === "elapsed") return span(Math.max(0, seconds));
    if (Math.abs(seconds) < 1) return "just now";
    return seconds >= 0 ? span(seconds) + " ago" : "in " + span(seconds);
  }
  function tellAll() {
    for (const time of document.querySelectorAll("time[data-as]")) {
      const words = tell(time);
      if (time.textContent !== words) time.textContent = words;
    }
  }
  setInterval(tellAll, 1000);

  // -- what stays as it is when a page is brought up to date ----------------------------------
  Idiomorph.defaults.ignoreActiveValue = true;
  Idiomorph.defaults.callbacks.beforeNodeMorphed = function (old) {
    if (old.nodeType !== Node.ELEMENT_NODE) return true;
    if (old.hasAttribute("data-keep")) return false;
    return !(old.localName === "details" && old.open && old.classList.contains("menu"));
  };
  Idiomorph.defaults.callbacks.beforeAttributeUpdated = function (name, element) {
    return !(name === "open" && element.localName === "details");
  };
  Idiomorph.defaults.callbacks.beforeNodeRemoved = function (old) {
    return !(old.nodeType === Node.ELEMENT_NODE && old.hasAttribute("data-keep") &&
      old.hasAttribute("data-made"));
  };

  // -- live -----------------------------------------------------------------------------------
  let source = null;
  function show(state, word) {
    if (!pulse || pulse.dataset.state === state) return;
    pulse.dataset.state = state;
    pulse.querySelector(".word").textContent = word;
  }
  function open() {
    if (source || !live || !live.dataset.stream || document.hidden) return;
    source = new EventSource(live.dataset.stream);
    source.addEventListener("tick", function (event) {
      show("live", "Live");
      // The first one has no mark: look. Another one may tell of what is here already.
      if (event.data && event.data === live.dataset.etag) return;
      htmx.trigger(live, "tick", { mark: event.data });
    });
    source.addEventListener("error", function () {
      show("lost", "Reconnecting");
      // A browser gives up on some answers (a full server, a proxy's error): we do not.
      if (source && source.readyState === EventSource.CLOSED) {
        source = null;
        setTimeout(open, 5000);
        htmx.trigger(live, "tick", { mark: "" }); // whoever is not let in any more is led to the login
      }
    });
  }
  function close() {
    if (source) source.close();
    source = null;
  }
  // A tab that nobody sees needs no connection; a browser has only six of them for a site.
  document.addEventListener("visibilitychange", function () {
    if (document.hidden) close();
    else open();
  });
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", open);
  open();

  document.body.addEventListener("htmx:configRequest", function (event) {
    if (event.detail.elt !== live) return;
    event.detail.headers["If-None-Match"] = '"' + live.dataset.etag + '"';
    // By this mark we get what the server has made for all who watch the page.
    const cause = event.detail.triggeringEvent;
    if (cause && cause.type === "tick" && cause.detail.mark) event.detail.headers["Leasehold-Tick"] = cause.detail.mark;
  });
  document.body.addEventListener("htmx:afterRequest", function (event) {
    if (event.detail.elt !== live) return;
    const etag = event.detail.xhr.getResponseHeader("ETag");
    if (etag) live.dataset.etag = etag.replaceAll('"', "");
  });
  document.body.addEventListener("htmx:afterSettle", function (event) {
    if (event.detail.target === live) {
      tellAll();
      drawAll();
      countTicked();
    }
    if (event.detail.target.id === "dialog" && !dialog.open) dialog.showModal();
    if (event.detail.target.id === "said") {
      if (dialog.open) dialog.close();
      for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
      fade();
    }
  });
  function fade() {
    for (const toast of document.querySelectorAll("#said .toast")) {
      const problem = toast.classList.contains("problem");
      setTimeout(function () { toast.remove(); }, problem ? 12000 : 5000);
    }
  }
  fade();

  // -- charts ---------------------------------------------------------------------------------
  const charts = new Map();
  function colour(name) {
    const probe = document.createElement("span");
    probe.className = "c-" + name;
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  }
  function amount(value, unit) {
    if (value === null || value === undefined) return "–";
    if (unit === "s") return span(value);
    const words = value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString("en") : value.toPrecision(2);
    return words + unit;
  }
  function wash(shade) {
    return shade.replace("rgb(", "rgba(").replace(")", ", 0.12)");
  }
  function options(figure, data) {
    const soft = colour("ink-soft"), line = colour("line");
    const axis = { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: "11px Inter, sans-serif" };
    return {
      width: figure.querySelector(".plot").clientWidth,
      height: 160,
      padding: [10, 4, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: "leasehold" }, points: { size: 6 }, drag: { x: false, y: false } },
      scales: { y: { range: function (_, low, high) { return [0, high > 0 ? high * 1.08 : 1]; } } },
      axes: [
        Object.assign({}, axis, { space: 70, size: 26, gap: 4, values: function (_, marks) {
          const far = data.rows[0].at(-1) - data.rows[0][0] > 172800;
          return marks.map(function (mark) {
            const at = new Date(mark * 1000);
            return far ? at.toLocaleDateString("en-GB", { day: "numeric", month: "short" })
              : at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
          });
        } }),
        Object.assign({}, axis, { size: 48, space: 34, values: function (_, marks) {
          return marks.map(function (mark) { return amount(mark, data.unit); });
        } }),
      ],
      series: [{}].concat(data.curves.map(function (curve, index) {
        const shade = colour(curve.colour);
        return { label: curve.name, stroke: shade, width: 1.75, fill: index === 0 ? wash(shade) : undefined,
          points: { show: false }, spanGaps: true };
      })),
      hooks: { setCursor: [function (plot) { tellKeys(figure, plot.data, plot.cursor.idx); }] },
    };
  }
  function tellKeys(figure, rows, index) {
    const data = charts.get(figure.id).data;
    const keys = figure.querySelectorAll(".keys b");
    data.curves.forEach(function (_, place) {
      const values = rows[place + 1];
      const at = index ?? values.length - 1;
      if (keys[place]) keys[place].textContent = amount(values[at], data.unit);
    });
  }
  function draw(figure) {
    const data = JSON.parse(figure.dataset.points);
    const known = charts.get(figure.id);
    const plot = figure.querySelector(".plot");
    if (known && known.plot.root.isConnected && known.theme === theme()) {
      known.data = data;
      known.plot.setData(data.rows);
    } else {
      if (known) known.plot.destroy();
      plot.replaceChildren();
      charts.set(figure.id, { data: data, theme: theme(), plot: new uPlot(options(figure, data), data.rows, plot) });
    }
    tellKeys(figure, data.rows, null);
  }
  function drawAll() {
    for (const figure of document.querySelectorAll("figure[data-points]")) draw(figure);
  }
  window.addEventListener("resize", function () {
    for (const known of charts.values()) {
      known.plot.setSize({ width: known.plot.root.parentElement.clientWidth, height: 160 });
    }
  });

  // -- theme ----------------------------------------------------------------------------------
  const system = matchMedia("(prefers-color-scheme: dark)");
  function theme() {
    return document.documentElement.dataset.theme || (system.matches ? "dark" : "light");
  }
  function nameSwitch() {
    const button = document.getElementById("theme");
    button.setAttribute("aria-label", theme() === "dark" ? "Use the light theme" : "Use the dark theme");
    button.dataset.now = theme();
  }
  document.getElementById("theme").addEventListener("click", function () {
    const next = theme() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem("leasehold-theme", next);
    } catch {
      // It lasts as long as the page.
    }
    nameSwitch();
    drawAll();
  });
  system.addEventListener("change", function () { nameSwitch(); drawAll(); });
  document.getElementById("theme").hidden = false;
  nameSwitch();

  // -- dialogs --------------------------------------------------------------------------------
  document.addEventListener("click", function (event) {
    const closer = event.target.closest("[data-close]");
    if (closer && closer.closest("dialog")) {
      event.preventDefault();
      closer.closest("dialog").close();
    }
    if (event.target.localName === "dialog") event.target.close();
    const opener = event.target.closest("[data-opens]");
    if (opener) document.getElementById(opener.dataset.opens).showModal();
    const copier = event.target.closest("[data-copies]");
    if (copier && navigator.clipboard) {
      navigator.clipboard.writeText(copier.dataset.copies).then(function () { say("Copied."); }, function () {});
    }
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  function say(text) {
    const toast = document.createElement("div");
    toast.className = "toast";
    toast.textContent = text;
    document.getElementById("said").replaceChildren(toast);
    fade();
  }
  document.body.addEventListener("htmx:sendError", function (event) {
    if (event.detail.elt !== live) say("The server did not answer. Nothing may have been done: look first.");
  });
  document.body.addEventListener("htmx:responseError", function (event) {
    if (event.detail.elt !== live) say("The server answered with an error. Look before you try again.");
  });

  // -- ticked jobs ----------------------------------------------------------------------------
  function ticks() {
    return document.querySelectorAll('input[name="job"]');
  }
  function countTicked() {
    const told = document.getElementById("ticked");
    if (!told) return;
    const chosen = document.querySelectorAll('input[name="job"]:checked').length;
    told.textContent = chosen ? chosen + " ticked" : "None ticked";
    const all = document.getElementById("tick-all");
    all.checked = chosen > 0 && chosen === ticks().length;
    all.indeterminate = chosen > 0 && !all.checked;
  }
  document.addEventListener("change", function (event) {
    if (event.target.id === "tick-all") {
      for (const tick of ticks()) tick.checked = event.target.checked;
    }
    if (event.target.matches("#tick-all, input[name=job]")) countTicked();
    if (event.target.matches("[data-sends]")) event.target.form.requestSubmit();
  });
  countTicked();

  // -- keys -----------------------------------------------------------------------------------
  let going = 0;
  function isTyping(target) {
    return target.matches("input:not([type=checkbox]), select, textarea") || target.isContentEditable;
  }
  function move(step) {
    const rows = Array.from(document.querySelectorAll("[data-row]"));
    if (!rows.length) return;
    const here = rows.findIndex(function (row) { return row.closest("tr, li") === document.activeElement.closest("tr, li"); });
    const next = here < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(Math.max(here + step, 0), rows.length - 1);
    rows[next].focus();
    rows[next].scrollIntoView({ block: "nearest" });
  }
  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (event.key === "Escape" && isTyping(event.target)) event.target.blur();
    if (isTyping(event.target)) return;
    if (Date.now() - going < 1500) {
      going = 0;
      const place = document.querySelector('.places a[data-key="' + CSS.escape(event.key) + '"]');
      if (place) {
        event.preventDefault();
        place.click();
      }
      return;
    }
    switch (event.key) {
      case "/": event.preventDefault(); document.getElementById("search").focus(); break;
      case "?": event.preventDefault(); document.getElementById("keys").showModal(); break;
      case "j": move(1); break;
      case "k": move(-1); break;
      case "x": {
        const row = document.activeElement.closest("tr");
        const tick = row && row.querySelector("input[name=job]");
        if (tick) { tick.checked = !tick.checked; countTicked(); }
        break;
      }
      case "g": going = Date.now(); break;
    }
  });
  drawAll();
  // A canvas does not draw itself again when its font has come.
  document.fonts.ready.then(function () {
    for (const known of charts.values()) known.plot.redraw(false, true);
  });
})();
