// What Java's ProxySelector does with rows of NO_PROXY and URL: the proxy (P), direct (D), or no request at all (-).
// Reads one row a line, both fields in hexadecimal, a tab between them; prints the version, then an answer a row.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

class ClientsOracle {
  static String field(String hex) {
    return new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8);
  }

  static String answer(String noProxy, String url) {
    System.setProperty("http.nonProxyHosts", noProxy.replace(',', '|'));
    try {
      Proxy proxy = ProxySelector.getDefault().select(URI.create(url)).get(0);
      return proxy.type() == Proxy.Type.DIRECT ? "D" : "P";
    } catch (IllegalArgumentException refused) {
      return "-";
    }
  }

  public static void main(String[] arguments) throws IOException {
    for (String scheme : new String[] {"http", "https"}) {
      System.setProperty(scheme + ".proxyHost", "127.0.0.1");
      System.setProperty(scheme + ".proxyPort", "3128");
    }
    StringBuilder out = new StringBuilder(System.getProperty("java.version") + "\n");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] fields = line.split("\t", -1);
      out.append(answer(field(fields[0]), field(fields[1]))).append('\n');
    }
    System.out.print(out);
  }
}
