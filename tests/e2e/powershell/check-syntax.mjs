// Parses PowerShell scripts with tree-sitter and prints every place that Windows PowerShell 5.1 does not read.
//   node check-syntax.mjs FILE...   exit 0: all parse; 1: faults; 77: node modules are not installed
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

// What the grammar lets pass although Windows PowerShell reads it differently, or not at all.
function lint(parser, text) {
  const faults = [];
  text.split('\n').forEach((line, index) => {
    const column = line.search(/[^\t\r\x20-\x7e]/);
    if (column >= 0) faults.push(`${index + 1}:${column + 1}: no ASCII (a typographic quote is a quote to PowerShell)`);
  });
  for (const { startPosition, text: sign } of parser.parse(text).rootNode.descendantsOfType(['&&', '||'])) {
    faults.push(`${startPosition.row + 1}:${startPosition.column + 1}: ${sign} is for PowerShell 7`);
  }
  return faults;
}

// Faults of each rule: one that does not see its own would pass anything.
const rules = [[faultsOf, 'if ($a { Write-Host 1 }\n'], [faultsOf, '$a = $b ? 1 : 2\n'], [lint, 'Say \u2018x\u2019\n'], [lint, 'cmd && other\n']];

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node check-syntax.mjs FILE...');
  process.exit(10);
}

async function check(parser) {
  let bad = rules.filter(([rule, faulty]) => rule(parser, faulty).length === 0).length;
  if (bad > 0) console.log(`${bad} faults were not seen`);
  for (const file of files) {
    const text = await readFile(file, 'utf8');
    const faults = [...faultsOf(parser, text), ...lint(parser, text)];
    for (const fault of faults) console.log(`${file}:${fault}`);
    if (faults.length > 0) bad++; else console.log(`${file}: ok`);
  }
  return bad === 0 ? 0 : 1;
}

const parser = await makeParser();
// Not process.exit(): the grammar's code is still being compiled in other threads then, and to end the process under them can be
// to end it by a signal. Node itself waits for them.
process.exitCode = await check(parser);
