import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Your program: tells a customer that an order is ready, by a template where free text is refused. */
final class Notify {
  private static final String TEMPLATE = "HX00000000000000000000000000000002";

  static int send(String url, String token, String thread) throws IOException, InterruptedException {
    int status = post(url, token, thread, "text", "Your order is ready.");
    return status == 400 ? post(url, token, thread, "contentSid", TEMPLATE) : status;
  }

  private static int post(String url, String token, String thread, String field, String value)
      throws IOException, InterruptedException {
    String body = "{\"customerThreadId\": \"%s\", \"%s\": \"%s\"}".formatted(thread, field, value);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + "/api/send-message-to-customer-thread"))
            .header("token", token)
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }
}
