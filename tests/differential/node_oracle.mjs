// What Node.js' `http` (with https) or `fetch` (with WebSocket), named by the argument, do with rows of HTTP_PROXY,
// HTTPS_PROXY, NO_PROXY and a request's URL: where they would connect to. Rows and answers as in DotnetOracle.cs. Node.js
// reads the variables when it starts, so each change of them gets a process of its own. Nothing is sent: a socket is
// destroyed before it connects.
import {execFile} from 'node:child_process';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import {text} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';

const MOST_PROCESSES = 2;
const MOST_MILLISECONDS = 60000;
let seen;  // of the request that is made: {host, port} of its first connection

function catchConnections() {
  net.Socket.prototype.connect = function(...given) {
    const to = (Array.isArray(given[0]) ? given[0] : given)[0];
    const end = (_, host) => {
      seen ??= {host, port: to.port};
      this.destroy(new Error('seen'));
    };
    // A client that has looked the name up itself gives the address this way.
    if (to.lookup) to.lookup(to.host, {}, end);
    else process.nextTick(end, null, to.host);
    return this;
  };
}

const APIS = {
  http: (url) => new Promise((done, fail) => {
    (url.startsWith('https:') ? https : http).get(url, done).on('error', fail);
  }),
  fetch: (url) => !url.startsWith('ws') ? fetch(url) : new Promise((done, fail) => {
    const socket = new WebSocket(url);
    socket.onopen = done;
    socket.onerror = () => fail(new Error('WebSocket'));
  }),
};

async function answer(api, url) {
  seen = undefined;
  let reason = 'answered';
  try {
    await APIS[api](url);
  } catch (error) {
    reason = error.cause?.code ?? error.code ?? error.name;
  }
  return seen ? `${Buffer.from(seen.host).toString('hex')} ${seen.port}` : `- ${reason}`;
}

function ask(api, [httpProxy, httpsProxy, noProxy], urls) {
  const env = {NODE_USE_ENV_PROXY: '1'};
  for (const [name, value] of Object.entries({HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy})) {
    if (value) env[name] = value;
  }
  const words = [fileURLToPath(import.meta.url), api, ...urls];
  return new Promise((done) => {
    execFile(process.execPath, words, {env, timeout: MOST_MILLISECONDS}, (error, stdout) => {
      const lines = stdout.split('\n').slice(0, -1);
      done(lines.length === urls.length ? lines : urls.map(() => `- ended with ${error?.code ?? error?.signal}`));
    });
  });
}

async function askAll(api) {
  const groups = [];
  for (const line of (await text(process.stdin)).split('\n').filter(Boolean)) {
    const fields = line.split('\t').map((field) => Buffer.from(field, 'hex').toString());
    const environment = fields.slice(0, 3);
    if (environment.join('\n') !== groups.at(-1)?.environment.join('\n')) groups.push({environment, urls: []});
    groups.at(-1).urls.push(fields[3]);
  }
  let next = 0;
  const work = async () => {
    while (next < groups.length) {
      const group = groups[next++];
      group.answers = await ask(api, group.environment, group.urls);
    }
  };
  await Promise.all(Array.from({length: MOST_PROCESSES}, work));
  return groups.flatMap((group) => group.answers);
}

const [api, ...urls] = process.argv.slice(2);
if (urls.length > 0) {
  catchConnections();
  for (const url of urls) console.log(await answer(api, url));
} else {
  console.log([process.versions.node, ...await askAll(api)].join('\n'));
}
