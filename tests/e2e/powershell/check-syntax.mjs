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
  console.log(`self-test: ${sound.length + broken.length + 1 - failures} of ${sound.length + broken.length + 1} as expected`);
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
  const faults = [...faultsOf(parser, text), ...lint(text)];
  for (const fault of faults) console.log(`${file}:${fault}`);
  if (faults.length > 0) faulty++; else console.log(`${file}: ok`);
}
process.exit(faulty === 0 ? 0 : 1);
