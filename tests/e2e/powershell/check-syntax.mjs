// Parses PowerShell scripts with tree-sitter and prints every place that is no PowerShell.
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

const childOf = (node, kind) => node.children.find(({ type }) => type === kind);

// A variable's name as PowerShell compares it, or nothing for one that names its scope or drive ($script:x, $env:x).
function bareName(variable) {
  const name = variable.text.replace(/^\$\{(.*)\}$/s, '$$$1').slice(1).toLowerCase();
  return name.includes(':') ? undefined : name;
}

// The variables that an assignment sets: also those of `[int]$x` and `$x, $y`, but not of `$x.y` and `$x[0]`.
function targetsOf(node) {
  if (['member_access', 'element_access', 'invokation_expression', 'type_literal'].includes(node.type)) return [];
  return node.type === 'variable' ? [node] : node.children.flatMap(targetsOf);
}

// In a function `$x += 1` (and `$x++`) reads the caller's $x and sets one of the function's own: the caller's keeps its
// value, and the next call begins with that again. So the function must have set $x before, or name the scope it means.
function foreignUpdates(parser, text) {
  const faults = [];
  const update = (variables, own, operator) => {
    for (const variable of variables) {
      const name = bareName(variable);
      if (name === undefined || own.has(name)) continue;
      const { row, column } = variable.startPosition;
      faults.push({ row, column, what: `${variable.text} ${operator} changes a copy, as this function did not set it before; ` +
        `set it first, or say $script:${name} if that of the script is meant` });
    }
  };
  // `own` has the names that the function around the node has set so far; outside of functions there is none.
  const walk = (node, own) => {
    if (node.type === 'function_statement') {
      const names = new Set();
      for (const child of node.children) walk(child, names);
      return;
    }
    if (!own) {
      for (const child of node.children) walk(child, own);
      return;
    }
    if (node.type === 'assignment_expression') {
      const [target, ...rest] = node.children;
      for (const child of [...rest, target]) walk(child, own);
      // The grammar does not know `??=` and has a fault before the sign instead.
      const operator = rest.slice(0, -1).map((part) => part.text.trim()).join('');
      if (operator !== '=') update(targetsOf(target), own, operator);
      for (const variable of targetsOf(target)) own.add(bareName(variable));
      return;
    }
    if (/^(pre|post)_(in|de)crement_expression$/.test(node.type)) {
      const operand = node.children.find(({ type }) => type !== '++' && type !== '--');
      update(targetsOf(operand), own, node.type.includes('in') ? '++' : '--');
    }
    if (node.type === 'script_parameter') own.add(bareName(childOf(node, 'variable')));
    for (const child of node.children) {
      walk(child, own);
      if (node.type === 'foreach_statement' && child.type === 'variable') own.add(bareName(child));
    }
  };
  walk(parser.parse(text).rootNode, undefined);
  faults.sort((a, b) => a.row - b.row || a.column - b.column);
  return faults.map(({ row, column, what }) => `${row + 1}:${column + 1}: ${what}`);
}

const rules = [faultsOf, (_, text) => lint(text), strayParameters, foreignUpdates];
// A fault of each rule: one that does not see its own would pass anything.
const faulty = ['if ($a { Write-Host 1 }\n', 'Say \u2018x\u2019\n', 'function F($a) { }\nF -Nam x\n', 'function F { $n++; $a += 1 }\n'];

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node check-syntax.mjs FILE...');
  process.exit(10);
}

async function check(parser) {
  let bad = rules.filter((rule, index) => rule(parser, faulty[index]).length === 0).length;
  if (bad > 0) console.log(`${bad} rules do not see their own fault`);
  for (const file of files) {
    const text = await readFile(file, 'utf8');
    const faults = rules.flatMap((rule) => rule(parser, text));
    for (const fault of faults) console.log(`${file}:${fault}`);
    if (faults.length > 0) bad++; else console.log(`${file}: ok`);
  }
  return bad === 0 ? 0 : 1;
}

const parser = await makeParser();
// Not process.exit(): the grammar's code is still being compiled in other threads then, and to end the process under them can be
// to end it by a signal. Node itself waits for them.
process.exitCode = await check(parser);
