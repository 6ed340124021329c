"use strict";
(() => {
  const form = document.getElementById("filters");
  const words = document.getElementById("words");
  const boxes = [...form.querySelectorAll("input[type=checkbox]")];
  const count = document.getElementById("count");
  const rows = [...document.querySelectorAll("tbody.month tr[data-state]")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const show = () => {
    const asked = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const states = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    let shown = 0;
    rows.forEach((row, place) => {
      const fits = states.has(row.dataset.state) && asked.every((word) => texts[place].includes(word));
      row.hidden = !fits;
      shown += fits;
    });
    count.textContent = `${shown} of ${rows.length} shown`;
    const kept = new URLSearchParams();
    if (words.value) kept.set("q", words.value);
    if (states.size < boxes.length) kept.set("states", [...states].join(","));
    history.replaceState(null, "", kept.size ? `#${kept}` : location.pathname);
  };
  const asked = new URLSearchParams(location.hash.slice(1));
  words.value = asked.get("q") || "";
  if (asked.has("states")) boxes.forEach((box) => { box.checked = asked.get("states").split(",").includes(box.value); });
  form.hidden = false;
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
})();
