// Sorts and filters the large tables. The page is complete without it.
"use strict";
for (const table of document.querySelectorAll("table[data-tools]")) {
  const caption = table.caption.textContent;
  const key = (body, column) => {
    const cell = body.rows[0].cells[column];
    return cell.dataset.value ?? cell.textContent;
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const order = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const compare = (a, b) => sign * key(a, column).localeCompare(key(b, column), "en", { numeric: true });
      table.append(...[...table.tBodies].sort(compare));
    });
  });
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "Filter";
  input.setAttribute("aria-label", `Filter: ${caption}`);
  input.addEventListener("input", () => {
    const text = input.value.toLowerCase();
    for (const body of table.tBodies) body.hidden = !body.textContent.toLowerCase().includes(text);
  });
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Open all";
  button.setAttribute("aria-label", `Open all details: ${caption}`);
  button.addEventListener("click", () => {
    const details = [...table.querySelectorAll("details")];
    const open = details.some((one) => !one.open);
    for (const one of details) one.open = open;
    button.textContent = open ? "Close all" : "Open all";
    button.setAttribute("aria-label", `${button.textContent} details: ${caption}`);
  });
  const tools = document.createElement("div");
  tools.className = "tools";
  tools.append(input, button);
  table.closest(".scroll").before(tools);
}
