// Adds keys: n and p go to the next and the previous change. On paper nothing stays folded.
(() => {
  const hunks = [...document.querySelectorAll(".hunk")];
  if (hunks.length > 1) document.querySelector(".keys").hidden = false;
  const top = (hunk) => hunk.getBoundingClientRect().top;
  const go = (hunk) => {
    if (!hunk) return;
    hunk.focus({preventScroll: true});
    hunk.scrollIntoView();
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=radio]), textarea, select")) return;
    const at = hunks.indexOf(document.activeElement);
    const edge = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    if (event.key === "n") go(at >= 0 ? hunks[at + 1] : hunks.find((hunk) => top(hunk) > edge + 1));
    if (event.key === "p") go(at >= 0 ? hunks[at - 1] : hunks.findLast((hunk) => top(hunk) < edge - 1));
  });
  addEventListener("beforeprint", () => {
    for (const fold of document.querySelectorAll("details")) fold.open = true;
  });
})();
