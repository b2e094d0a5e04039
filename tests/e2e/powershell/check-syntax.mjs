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
  const updates = [
    // User data once read the certificates behind the first one with this, each time at the place of the first.
    ['$at = 1\nfunction Settings {\n$wanted = for ($i = 0; $at -lt $all.Length; $i++) {\n$size = 4 + 256 * $all[$at + 2] + $all[$at + 3]\n' +
      '$at += $size\n$name = 1\n}\n}\n', 1],
    ['function F { $a -= 1; $b *= 2; $c /= 2; $d %= 2 }\n', 4], ['function F { $n++; ++$o; $p--; --$q }\n', 4],
    ['function F { $a ??= 1 }\n', 1], ['function F { $a += 1; $a = 0 }\n', 1], ['function F { [int]$a += 1; ${b} += 1 }\n', 2],
    ['function F { 1..3 | ForEach-Object { $sum += $_ } }\n', 1], ['function F { $a = 1; function G { $a += 1 } }\n', 1],
    ['function F { $a = 1 }\nfunction G { $a += 1 }\n', 1], ['function F { $x = $y += 1 }\n', 1], ['function F { foreach ($i in $j++) { } }\n', 1],
    ['function F { $script:a = 1; $a += 1 }\n', 1], ['function F { $b.a = 1; $b += 1 }\n', 1], ['function F { "$($a++)" }\n', 1],
    ['$a += 1; $b++; 1..3 | ForEach-Object { $a += $_ }\n', 0], ['function F($a) { $A += 1 }\n', 0], ['function F { param([int]$A) $a++ }\n', 0],
    ['function F { $SUM = 0; 1..3 | ForEach-Object { $sum += $_ } }\n', 0], ['function F { for ($i = 0; $i -lt 3; $i++) { } }\n', 0],
    ['function F { foreach ($i in 1, 2) { $i++ } }\n', 0], ['function F { $script:a += 1; $global:b++; $env:PATH += "x"; ${script:c} -= 1 }\n', 0],
    ['function F { $a.count += 1; $a[0]++; $a.b[1].c -= 2 }\n', 0], ['function F { [int]$a = 1; $a += 1; $b, $c = 1, 2; $c -= $b++ }\n', 0],
  ];
  for (const [script, count] of updates) {
    const found = foreignUpdates(parser, script);
    if (found.length !== count) { failures++; console.log(`self-test: ${found.length} updates of foreign variables, not ${count}, in: ${script}`); }
  }
  const all = sound.length + broken.length + 1 + strays.length + updates.length;
  console.log(`self-test: ${all - failures} of ${all} as expected`);
  return failures === 0 ? 0 : 1;
}

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node check-syntax.mjs --self-test | FILE...');
  process.exit(10);
}

async function check(parser) {
  let faulty = 0;
  for (const file of files) {
    const text = await readFile(file, 'utf8');
    const faults = [...faultsOf(parser, text), ...lint(text), ...strayParameters(parser, text), ...foreignUpdates(parser, text)];
    for (const fault of faults) console.log(`${file}:${fault}`);
    if (faults.length > 0) faulty++; else console.log(`${file}: ok`);
  }
  return faulty === 0 ? 0 : 1;
}

const parser = await makeParser();
// Not process.exit(): the grammar's code is still being compiled in other threads then, and to end the process under them can be
// to end it by a signal. Node itself waits for them.
process.exitCode = files[0] === '--self-test' ? selfTest(parser) : await check(parser);
