"use strict";
(() => {
  const narrow = matchMedia("(max-width: 40rem)");
  const coarse = matchMedia("(pointer: coarse)");
  const config = {
    responsive: true, displayModeBar: false, displaylogo: false, showTips: false,
    scrollZoom: false, plotlyServerURL: "", topojsonURL: "",
  };

  function draw(place) {
    const spec = JSON.parse(document.getElementById(place.dataset.figure).textContent);
    const { updatemenus: menus = [], meta = {}, ...layout } = spec.layout;
    if (coarse.matches) layout.dragmode = false;  // a finger scrolls the page
    Plotly.newPlot(place, spec.data, layout, config);
    if (menus.length) place.before(chooser(place, menus[0].buttons));
    const fit = () => {
      const patch = narrow.matches ? meta.narrow : meta.wide;
      if (patch) Plotly.relayout(place, patch);
    };
    narrow.addEventListener("change", fit);
    fit();
  }

  function chooser(place, buttons) {
    const label = document.createElement("label");
    const select = document.createElement("select");
    label.className = "chooser";
    label.append("Horizontal axis:", select);
    for (const [number, button] of buttons.entries()) {
      select.add(new Option(button.label, String(number)));
    }
    select.addEventListener("change", () => Plotly.update(place, ...buttons[Number(select.value)].args));
    return label;
  }

  for (const place of document.querySelectorAll(".plot")) {
    const figure = place.closest("figure");
    figure.classList.add("lively");  // first: what is hidden has no width to fill
    try {
      draw(place);
    } catch (error) {
      figure.classList.remove("lively");
      console.error(error);  // the still picture stays in its place
    }
  }
  addEventListener("beforeprint", () => {
    for (const text of document.querySelectorAll("details.text")) text.open = true;
  });
})();
