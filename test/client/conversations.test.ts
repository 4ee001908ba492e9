import { describe, expect, it } from "vitest";
import { rejection, startClients } from "../support/client.js";

describe("people in a conversation", () => {
  it("write, with and without words, before and behind the customer's eyes", async () => {
    const { sandbox } = await startClients();
    const attachment = { uuid: "u-1", contentType: "image/png", name: "shoe.png", contentLength: 12 };
    expect(await sandbox.customerSays(9001, "Hello")).toMatchObject({ fromCustomer: true, text: "Hello" });
    expect(await sandbox.customerSays("9001", { attachment })).toMatchObject({ text: "", attachment });
    expect(await sandbox.employeeSays("9001", "501", "Hi")).toMatchObject({
      employeeUserId: "501",
      invisible: false,
    });
    const internal = await sandbox.employeeSays("9001", "501", "Psst", { internal: true });
    expect(internal).toMatchObject({ invisible: true });
  });

  it("move window, status and thread", async () => {
    const { sandbox } = await startClients();
    expect(await sandbox.closeWindow("9001")).toMatchObject({ isMessagingWindowOpen: false });
    expect(await sandbox.openWindow("9001")).toMatchObject({ isMessagingWindowOpen: true });
    expect(await sandbox.setStatus("9001", "resolved")).toMatchObject({ status: "resolved" });
    expect(await sandbox.transfer("9001", "1002")).toMatchObject({ businessId: "1002" });
    expect(await sandbox.transfer("9001", "1001", "503")).toMatchObject({ businessId: "1001" });
    const events = await sandbox.waitForDeliveries("transfer", 2);
    expect(events.map(({ body }) => body.data.employeeUserId)).toEqual([502, 503]);
    expect(await rejection(sandbox.transfer("9001", "1001"))).toMatchObject({ status: 409 });
  });

  it("are left out where an event is emitted by hand", async () => {
    const { sandbox } = await startClients();
    const before = await sandbox.state();
    const [id] = await sandbox.emit("message", { customerThreadId: 9001, messageBody: "As if" });
    const delivery = await sandbox.waitForDelivery("message");
    expect(delivery).toMatchObject({ id, body: { data: { messageBody: "As if", customerThreadId: 9001 } } });
    await sandbox.emit("transfer", { newBusinessName: "Elsewhere" });
    expect((await sandbox.waitForDelivery("transfer")).body.data.newBusinessName).toBe("Elsewhere");
    expect(await sandbox.emit("message", {}, { legacy: true })).toEqual([]);
    expect(await sandbox.state()).toEqual(before);
  });
});
