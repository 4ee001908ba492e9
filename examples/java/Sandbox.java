import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A world of its own in the simulator, for one test: {@code try (var sandbox = new Sandbox()) { ... }}. */
final class Sandbox implements AutoCloseable {
  static final String URL = System.getenv("MESSAGING_SIM_URL");
  private static final String CONTROL_TOKEN =
      System.getenv().getOrDefault("MESSAGING_SIM_CONTROL_TOKEN", "");
  private final String path;
  final String token;

  Sandbox() throws IOException, InterruptedException {
    String made = call("POST", "/__sim/sandboxes", "{}");
    path = "/__sim/sandboxes/" + field(made, "id");
    token = field(made, "acme-token");
  }

  /** Posts to a route of the control API, in this sandbox. */
  String control(String route, String body) throws IOException, InterruptedException {
    return call("POST", path + route, body);
  }

  @Override
  public void close() throws IOException, InterruptedException {
    call("DELETE", path, "");
  }

  private static String call(String method, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(URL + path))
            .header("content-type", "application/json")
            .header("authorization", "Bearer " + CONTROL_TOKEN)
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> answer =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() >= 300) throw new AssertionError(answer.statusCode() + " " + answer.body());
    return answer.body();
  }

  private static String field(String json, String name) {
    Matcher found = Pattern.compile("\"" + name + "\":\"([^\"]+)\"").matcher(json);
    if (!found.find()) throw new AssertionError("no " + name + " in " + json);
    return found.group(1);
  }
}
