/** Two tests; with JUnit each method gets {@code @Test}, and {@code main} goes. */
final class NotifyTest {
  void writesFreelyWhileTheWindowIsOpen() throws Exception {
    try (var sandbox = new Sandbox()) {
      Notify.send(Sandbox.URL, sandbox.token, "9001");
      sandbox.control("/wait", "{\"for\": {\"reply\": {\"thread\": \"9001\", \"contains\": \"ready\"}}}");
    }
  }

  void usesTheTemplateOnceTheWindowIsClosed() throws Exception {
    try (var sandbox = new Sandbox()) {
      sandbox.control("/threads/9001/window", "{\"open\": false}");
      Notify.send(Sandbox.URL, sandbox.token, "9001");
      sandbox.control("/wait", "{\"for\": {\"reply\": {\"thread\": \"9001\", \"template\": \"order_ready\"}}}");
    }
  }

  public static void main(String[] none) throws Exception {
    new NotifyTest().writesFreelyWhileTheWindowIsOpen();
    new NotifyTest().usesTheTemplateOnceTheWindowIsClosed();
    System.out.println("2 passed");
  }
}
