import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { MAIN, start } from "./program.js";

describe("generate as a program", () => {
  it("writes a fixture that parses, and ends with code 0", async () => {
    const program = start(["generate", "--threads", "300", "--locale", "es"]);
    expect(await program.exited).toBe(0);
    expect(program.stderr()).toBe("");
    expect(JSON.parse(program.stdout()).threads).toHaveLength(300);
  });

  it("ends quietly when its reader goes away", async () => {
    const child = spawn(process.execPath, [MAIN, "generate", "--threads", "1000000"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let err = "";
    child.stderr.on("data", (text) => {
      err += text;
    });
    await once(child.stdout, "data");
    child.stdout.destroy();
    const [code] = await once(child, "close");
    expect({ code, err }).toEqual({ code: 141, err: "" });
  });
});
