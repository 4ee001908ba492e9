// The first file that each entry of the package loads (`scripts/bundle.mjs`). Nodes of any age read it, so nothing in it is new.
/* biome-ignore-all lint/complexity/useArrowFunction: see above */
/* biome-ignore-all lint/style/useTemplate: see above */
/* biome-ignore-all lint/suspicious/noVar: see above */
/* biome-ignore-all lint/complexity/noArguments: see above */
"use strict";

var OLDEST = "20.19";

/** Why the package cannot run on this Node, in a line; undefined where it can. */
module.exports = function objection() {
  var version = process.versions.node;
  var have = String(version).split(".").map(Number);
  var need = OLDEST.split(".").map(Number);
  if (version === undefined || have[0] > need[0] || (have[0] === need[0] && have[1] >= need[1]))
    return undefined;
  return "messaging-sim needs Node " + OLDEST + " or newer, and this is Node " + version;
};
