// A table that is wider than the page scrolls: by keyboard too, and with a name that a screen reader can say.
const reachable = () => {
  for (const wide of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) {
    Object.assign(wide, { tabIndex: 0, role: "group", ariaLabel: "Table" });
  }
};
new MutationObserver(reachable).observe(document.documentElement, { childList: true, subtree: true });
