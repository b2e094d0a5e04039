// What Java's ProxySelector does with rows of HTTP_PROXY, HTTPS_PROXY, NO_PROXY and a request's URL: where it would connect
// to. Rows and answers as in DotnetOracle.cs; of a request that goes direct the port is 0.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

class ClientsOracle {
  static String field(String hex) {
    return new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8);
  }

  static void setProxy(String scheme, URI proxy) {
    System.setProperty(scheme + ".proxyHost", proxy.getHost());
    System.setProperty(scheme + ".proxyPort", String.valueOf(proxy.getPort()));
  }

  static String show(String host, int port) {
    return HexFormat.of().formatHex(host.getBytes(StandardCharsets.UTF_8)) + " " + port;
  }

  static String answer(String[] fields) {
    setProxy("http", URI.create(field(fields[0])));
    setProxy("https", URI.create(field(fields[1])));
    System.setProperty("http.nonProxyHosts", field(fields[2]).replace(',', '|'));
    try {
      Proxy proxy = ProxySelector.getDefault().select(URI.create(field(fields[3]))).get(0);
      if (proxy.type() == Proxy.Type.DIRECT) return show(field(fields[3]), 0);
      InetSocketAddress to = (InetSocketAddress) proxy.address();
      return show(to.getHostString(), to.getPort());
    } catch (IllegalArgumentException refused) {
      return "- " + refused.getClass().getSimpleName();
    }
  }

  public static void main(String[] arguments) throws IOException {
    StringBuilder out = new StringBuilder(System.getProperty("java.version") + "\n");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.append(answer(line.split("\t", -1))).append('\n');
    }
    System.out.print(out);
  }
}
