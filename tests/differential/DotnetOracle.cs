// What .NET's HttpClient does with rows of HTTP_PROXY, HTTPS_PROXY, NO_PROXY and a request's URL: where it would connect
// to. Reads one row a line, the fields in hexadecimal, tabs between them, further fields ignored. Prints the version,
// then an answer a row: "HOST PORT" of the first connection, the host in hexadecimal, or "-" and why there is none.
// Nothing is looked up and nothing sent. HttpClient makes no requests for ws, wss and ftp; there the answer is what its
// settings give.
using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Reflection;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

static class DotnetOracle {
  sealed class Seen : Exception {
    public Seen(DnsEndPoint to) { To = to; }
    public DnsEndPoint To { get; }
  }

  // HttpClient.DefaultProxy reads the environment once; this is what it calls.
  static readonly MethodInfo TryCreate =
      typeof(HttpClient).Assembly.GetType("System.Net.Http.HttpEnvironmentProxy", true)
          .GetMethod("TryCreate", BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static);

  static string Text(string hex) { return Encoding.UTF8.GetString(Convert.FromHexString(hex)); }
  static string Show(string host, int port) { return Convert.ToHexString(Encoding.UTF8.GetBytes(host)).ToLowerInvariant() + " " + port; }

  static string AskSettings(IWebProxy proxy, Uri url) {
    if (proxy == null || proxy.IsBypassed(url)) return Show(url.IdnHost, url.Port);
    Uri to = proxy.GetProxy(url);
    return to == null ? Show(url.IdnHost, url.Port) : Show(to.IdnHost, to.Port);
  }

  static async Task<string> Ask(IWebProxy proxy, Uri url) {
    using var handler = new SocketsHttpHandler { UseProxy = proxy != null, Proxy = proxy };
    handler.ConnectCallback = (context, token) => throw new Seen(context.DnsEndPoint);
    using var client = new HttpMessageInvoker(handler);
    using var request = new HttpRequestMessage(HttpMethod.Get, url);
    try {
      using var response = await client.SendAsync(request, CancellationToken.None);
      return "- answered";
    } catch (Exception failure) {
      for (Exception one = failure; one != null; one = one.InnerException)
        if (one is Seen seen) return Show(seen.To.Host, seen.To.Port);
      return "- " + failure.GetType().Name;
    }
  }

  static string Answer(string[] fields) {
    Environment.SetEnvironmentVariable("http_proxy", Text(fields[0]));
    Environment.SetEnvironmentVariable("https_proxy", Text(fields[1]));
    Environment.SetEnvironmentVariable("no_proxy", Text(fields[2]));
    var arguments = new object[] { null };
    var proxy = (bool)TryCreate.Invoke(null, arguments) ? (IWebProxy)arguments[0] : null;
    if (!Uri.TryCreate(Text(fields[3]), UriKind.Absolute, out Uri url)) return "- url";
    if (url.Scheme != "http" && url.Scheme != "https") return AskSettings(proxy, url);
    return Ask(proxy, url).GetAwaiter().GetResult();
  }

  static int Main() {
    var names = new List<string>();
    foreach (object name in Environment.GetEnvironmentVariables().Keys) names.Add((string)name);
    foreach (string name in names)
      if (name.EndsWith("_proxy", StringComparison.OrdinalIgnoreCase) || name == "GATEWAY_INTERFACE")
        Environment.SetEnvironmentVariable(name, null);
    using var output = new StreamWriter(Console.OpenStandardOutput());
    output.Write(Environment.Version + "\n");
    for (string line; (line = Console.In.ReadLine()) != null;) output.Write(Answer(line.Split('\t')) + "\n");
    return 0;
  }
}
