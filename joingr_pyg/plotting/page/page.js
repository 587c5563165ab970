"use strict";
// The page is complete without this script; it adds the slider, the hover cards, and what belongs together.
(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const tables = all(".table"), joins = all(".join"), keys = all(".key"), entries = all("aside li[data-table]");
  const numbers = (element, name) => element.dataset[name].split(" ").map(Number);

  // Hops.
  const controls = document.querySelector(".controls");
  const show = (hop) => {
    for (const table of tables) {
      const radii = numbers(table, "radii"), radius = radii[Math.min(hop, radii.length - 1)];
      table.querySelector(".dot").setAttribute("r", radius);
      table.querySelector(".ring")?.setAttribute("r", radius + 4);
    }
    for (const join of joins) {
      const widths = numbers(join, "widths");
      join.querySelector(".line").style.strokeWidth = widths[Math.min(hop, widths.length - 1)];
      for (const flow of join.querySelectorAll(".flow"))
        flow.classList.toggle("on", flow.dataset.hops.split(" ").includes(String(hop)));
    }
  };
  if (controls) {
    const [button, slider, output] = controls.children, last = Number(slider.max), whole = output.textContent;
    let timer = 0;
    const go = (hop) => {
      slider.value = hop;
      output.textContent = hop === last ? whole : hop ? `hop ${hop} of ${last - 1}` : "what the anchors start with";
      show(hop);
    };
    const stop = () => { clearInterval(timer); timer = 0; button.textContent = "▶"; };
    slider.addEventListener("input", () => { stop(); go(Number(slider.value)); });
    button.addEventListener("click", () => {
      if (timer) return stop();
      button.textContent = "❚❚";
      go(Number(slider.value) < last ? Number(slider.value) : 0);
      timer = setInterval(() => Number(slider.value) < last ? go(Number(slider.value) + 1) : stop(), 1400);
    });
    controls.hidden = false;
    const asked = /^#hop=(\d+)$/.exec(location.hash);
    go(asked ? Math.min(Number(asked[1]), last) : last);
  }

  // What belongs to a table or a join stands out.
  const light = (chosen) => {
    const lit = new Set(chosen ? [chosen] : []), number = chosen?.dataset.table;
    for (const join of joins) {
      const ends = join.dataset.ends.split(" ");
      if (join === chosen || (number !== undefined && ends.includes(number))) {
        lit.add(join);
        for (const table of tables) if (ends.includes(table.dataset.table)) lit.add(table);
      }
    }
    for (const table of tables) if (number !== undefined && table.dataset.table === number) lit.add(table);
    for (const entry of entries)
      if (chosen && [...tables].some((table) => table === chosen && table.dataset.table === entry.dataset.table))
        lit.add(entry);
    const cards = new Set([...lit].map((element) => element.dataset.card));
    for (const element of [...tables, ...joins, ...entries]) element.classList.toggle("lit", lit.has(element));
    for (const key of keys) key.classList.toggle("lit", cards.has(key.dataset.of));
    document.querySelector(".canvas")?.classList.toggle("lit-any", Boolean(chosen));
  };

  // Cards.
  let open = null;
  const place = (card, x, y) => {
    const { offsetWidth: width, offsetHeight: height } = card, edge = 10;
    const left = x + 16 + width > innerWidth - edge ? x - 16 - width : x + 16;
    const top = Math.min(y + 14, innerHeight - height - edge);
    card.style.left = `${Math.max(left, edge) + scrollX}px`;
    card.style.top = `${Math.max(top, edge) + scrollY}px`;
  };
  const close = () => { if (open) open.hidden = true; open = null; light(null); };
  const reveal = (element, x, y) => {
    close();
    light(element);
    open = document.getElementById(element.dataset.card);
    if (!open) return;
    open.hidden = false;
    place(open, x, y);
  };
  for (const element of [...tables, ...joins]) {
    element.addEventListener("pointerenter", (event) => reveal(element, event.clientX, event.clientY));
    element.addEventListener("pointermove", (event) => { if (open) place(open, event.clientX, event.clientY); });
    element.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") close(); });
    element.addEventListener("focus", () => {
      const box = element.getBoundingClientRect();
      if (element.matches(":focus-visible")) reveal(element, box.left + box.width / 2, box.top + box.height / 2);
    });
    element.addEventListener("blur", close);
  }
  for (const entry of entries) {
    entry.addEventListener("pointerenter", () => light(entry));
    entry.addEventListener("pointerleave", () => light(null));
    entry.addEventListener("focus", () => light(entry));
    entry.addEventListener("blur", () => light(null));
  }
  addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  addEventListener("pointerdown", (event) => { if (!event.target.closest?.(".table, .join")) close(); });
})();
