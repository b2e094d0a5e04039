// Parses PowerShell scripts with tree-sitter and prints every place that is no PowerShell.
//   node check-syntax.mjs FILE...      exit 0: all parse; 1: faults; 77: node modules are not installed
//   node check-syntax.mjs --self-test  exit 0: broken scripts are found and sound ones are not
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

function skip(reason) {
  console.log(`SKIPPED: ${reason}; the syntax of the PowerShell scripts was NOT checked`);
  process.exit(77);
}

async function makeParser() {
  let treeSitter, grammar;
  try {
    treeSitter = await import('web-tree-sitter');
    grammar = require.resolve('tree-sitter-powershell/tree-sitter-powershell.wasm');
  } catch {
    skip('the npm packages are missing (run "npm ci --ignore-scripts" in tests/e2e/powershell)');
  }
  await treeSitter.Parser.init();
  const parser = new treeSitter.Parser();
  parser.setLanguage(await treeSitter.Language.load(grammar));
  return parser;
}

// The faults of a text as "line:column: what", in order.
function faultsOf(parser, text) {
  const tree = parser.parse(text);
  const faults = [];
  const stack = [tree.rootNode];
  while (stack.length > 0) {
    const node = stack.pop();
    if (node.isError || node.isMissing) {
      const { row, column } = node.startPosition;
      const sample = node.text.split('\n')[0].slice(0, 60).trimEnd();
      faults.push({ row, column, what: node.isMissing ? `missing ${node.type}` : `not understood: ${sample}` });
    }
    if (node.hasError) stack.push(...node.children);
  }
  faults.sort((a, b) => a.row - b.row || a.column - b.column);
  return faults.map(({ row, column, what }) => `${row + 1}:${column + 1}: ${what}`);
}

// What the grammar lets pass although PowerShell reads it differently.
function lint(text) {
  const faults = [];
  text.split('\n').forEach((line, index) => {
    const column = line.search(/[^\t\r\x20-\x7e]/);
    if (column >= 0) faults.push(`${index + 1}:${column + 1}: no ASCII (a typographic quote is a quote to PowerShell)`);
  });
  return faults;
}

function* nodesOf(node) {
  yield node;
  for (const child of node.children) yield* nodesOf(child);
}

// A token that begins with a dash is a parameter's name: a function without that parameter takes it, and what follows it,
// for further arguments, and its parameters move up. Quoted it is an argument like any other.
function strayParameters(parser, text) {
  const nodes = [...nodesOf(parser.parse(text).rootNode)];
  const parametersOf = new Map();
  for (const node of nodes.filter(({ type }) => type === 'function_statement')) {
    const name = node.children.find(({ type }) => type === 'function_name').text.toLowerCase();
    const declared = [...nodesOf(node)].filter(({ type }) => type === 'script_parameter')
      .map((parameter) => parameter.children.find(({ type }) => type === 'variable').text.slice(1).toLowerCase());
    parametersOf.set(name, declared);
  }
  const faults = [];
  for (const node of nodes.filter(({ type }) => type === 'command')) {
    const called = node.childForFieldName('command_name')?.text.toLowerCase();
    if (!parametersOf.has(called)) continue;
    const elements = node.childForFieldName('command_elements')?.children ?? [];
    for (const element of elements.filter(({ type }) => type === 'command_parameter')) {
      if (parametersOf.get(called).includes(element.text.slice(1).split(':')[0].toLowerCase())) continue;
      const { row, column } = element.startPosition;
      faults.push(`${row + 1}:${column + 1}: ${called} has no parameter ${element.text}; quote what is an argument`);
    }
  }
  return faults;
}

function selfTest(parser) {
  const sound = ['$a = @{ b = 1 }\r\nif ($a) { Write-Host "x $($a[\'b\'])" }\r\n', 'function F {\n  param([string]$X)\n  return $X\n}\n'];
  const broken = ['if ($a { Write-Host 1 }\n', 'function F { param([string]$X) return $X\n', '$a = @{ b = 1\n', 'foreach ($x on $y) { }\n',
    '$a = "unfinished\n', 'try { 1 }\n$b = (1 + \n'];
  let failures = 0;
  for (const text of sound) {
    if (faultsOf(parser, text).length + lint(text).length !== 0) { failures++; console.log(`self-test: rejected sound text: ${text}`); }
  }
  for (const text of broken) {
    if (faultsOf(parser, text).length === 0) { failures++; console.log(`self-test: accepted broken text: ${text}`); }
  }
  if (lint('Say \u2018x\u2019\n').length !== 1) { failures++; console.log('self-test: accepted a typographic quote'); }
  const declared = 'function Load($options, $url) { & curl.exe $options --retry 3 $url }\nfunction Other { param([string]$Name) "$Name" }\n';
  const strays = [['Load -ksSfL $json.bundle "$root\\x"\n', 1], ['if (1) { LOAD x -m 3 -o y }\n', 2], ['Other -Nam x\n', 1],
    ["Load '-ksSfL' $json.bundle\n", 0], ['Other -name:x; Load -Url x -OPTIONS y\n', 0], ['Get-Item -Path x; & other.exe -k\n', 0]];
  for (const [calls, count] of strays) {
    const found = strayParameters(parser, declared + calls);
    if (found.length !== count) { failures++; console.log(`self-test: ${found.length} stray parameters, not ${count}, in: ${calls}`); }
  }
  const all = sound.length + broken.length + 1 + strays.length;
  console.log(`self-test: ${all - failures} of ${all} as expected`);
  return failures === 0 ? 0 : 1;
}

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node check-syntax.mjs --self-test | FILE...');
  process.exit(10);
}
const parser = await makeParser();
if (files[0] === '--self-test') process.exit(selfTest(parser));
let faulty = 0;
for (const file of files) {
  const text = await readFile(file, 'utf8');
  const faults = [...faultsOf(parser, text), ...lint(text), ...strayParameters(parser, text)];
  for (const fault of faults) console.log(`${file}:${fault}`);
  if (faults.length > 0) faulty++; else console.log(`${file}: ok`);
}
process.exit(faulty === 0 ? 0 : 1);
