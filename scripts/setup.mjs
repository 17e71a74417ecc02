// Plain JavaScript that runs on Node 20 before anything is installed: `node scripts/setup.mjs install|start|test|api|worker|store-simulator|payment-simulator [arguments]`.
// It installs the packages, builds what changed, and hands over to the Node that package.json pins.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const oldestNode = [22, 14];
const commands = {
  install: async () => 0,
  start: (args) => runBuilt('dist/scripts/launch.js', args),
  api: (args) => runBuilt('dist/src/main.js', args),
  worker: (args) => runBuilt('dist/workers/main.js', args),
  'store-simulator': (args) => runBuilt('dist/scripts/storeSimulator.js', args),
  'payment-simulator': (args) => runBuilt('dist/scripts/paymentSimulator.js', args),
  test,
};

const [name, ...rest] = process.argv.slice(2);
if (!Object.hasOwn(commands, name ?? '')) fail(`Usage: node scripts/setup.mjs ${Object.keys(commands).join('|')}`);

let child;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child?.kill(signal));
// npm passes signals on, but one that was killed outright leaves its script running: then this stops what it started.
const starter = process.env.npm_lifecycle_event ? findStarter() : undefined;
if (starter) setInterval(() => isRunning(starter) || child?.kill('SIGTERM'), 1000).unref();

await alone(installPackages);
process.exitCode = await commands[name](rest);

async function runBuilt(program, args) {
  await alone(build);
  return run(findNode(), [program, ...args], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
}

async function test(args) {
  await alone(build);
  const folder = mkdtempSync(join(tmpdir(), 'paywall-counts-'));
  const countsFile = join(folder, 'counts.json');
  const reporters = ['--reporters=default', '--reporters=<rootDir>/scripts/countReporter.mjs'];
  // Last, because jest takes every bare word after --reporters for one more reporter.
  const flags = process.env.CI ? ['--ci', ...reporters] : reporters;
  const code = await run(findNode(), ['node_modules/jest/bin/jest.js', ...args, ...flags], {
    stdio: 'inherit',
    env: { ...process.env, TEST_COUNTS_FILE: countsFile },
  });
  const counts = existsSync(countsFile) ? JSON.parse(readFileSync(countsFile, 'utf8')) : undefined;
  rmSync(folder, { recursive: true, force: true });
  const refused = process.env.CI ? (counts?.unlisted ?? []) : [];
  if (counts) printCounts(counts, refused);
  else if (code !== 0) console.log('0 passed, 1 failed');
  return code === 0 && refused.length > 0 ? 1 : code;
}

function printCounts({ passed, failed, skipped }, refused) {
  for (const name of refused) console.log(`Skipped without a reason that scripts/countReporter.mjs lists: ${name}`);
  if (skipped > refused.length) console.log(`${skipped - refused.length} skipped`);
  console.log(`${passed} passed, ${failed + refused.length} failed`);
}

async function installPackages() {
  if (isInstalled()) return;
  // npm 10 stumbles over optional peers that nobody asked for.
  const flags = [
    '--legacy-peer-deps',
    '--include=dev',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--engine-strict=false',
  ];
  const npm = npmCommand(process.execPath);
  // Some versions of npm refuse a lock file without the packages of other platforms; `install` fetches what it names.
  const commands = [
    [...npm, 'ci', ...flags],
    [...npm, 'install', '--no-save', ...flags],
  ];
  await step('Installing packages (about a minute the first time)', commands);
  findNode();
}

/** The npm that runs this, else the one on PATH. */
function npmCommand(node) {
  const path = process.env.npm_execpath;
  return path?.endsWith('npm-cli.js') ? [node, path] : ['npm'];
}

/** npm's own record of what it installed says whether that is what package-lock.json asks for. */
function isInstalled() {
  const wanted = readPackages('package-lock.json');
  const installed = readPackages('node_modules/.package-lock.json');
  const isThere = ([path, { version, optional }]) =>
    path === '' || (installed[path] ? installed[path].version === version : optional === true);
  return existsSync(join(root, 'node_modules')) && Object.entries(wanted).every(isThere);
}

function readPackages(file) {
  const path = join(root, file);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : {};
}

async function build() {
  const stamp = join(root, 'dist', '.built-from');
  const sources = hashSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  rmSync(stamp, { force: true });
  const node = findNode();
  const path = [dirname(node), process.env.PATH].join(delimiter);
  await step('Building', [[...npmCommand(node), 'run', '--silent', 'build']], { ...process.env, PATH: path });
  writeFileSync(stamp, sources);
}

function hashSources() {
  const hash = createHash('sha256');
  for (const folder of ['src', 'workflows', 'activities', 'workers', 'test', 'scripts', 'bench']) {
    for (const file of listFiles(join(root, folder))) {
      hash.update(relative(root, file)).update('\0').update(readFileSync(file));
    }
  }
  for (const file of ['package-lock.json', 'package.json', 'tsconfig.json'])
    hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function listFiles(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(ts|json|css|sql|woff2)$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** The pinned Node, or the one that runs this where its package could not be set up. */
function findNode() {
  const pinned = join(root, 'node_modules', 'node', 'bin', 'node');
  if (spawnSync(pinned, ['--version']).status === 0) return pinned;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return process.execPath;
  return fail(
    `Node ${oldestNode.join('.')} or newer is needed: the pinned one does not run, and this is ${process.version}.`,
  );
}

/** One line of progress for the first of the commands that works; what they write is shown only when none does. */
async function step(title, commands, env = process.env) {
  const began = Date.now();
  process.stdout.write(`${title} ... `);
  const output = [];
  let code = 1;
  for (const [command, ...args] of commands) {
    code = await run(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }, (text) => output.push(text));
    if (code === 0 || isInterrupted(code)) break;
    output.push(Buffer.from(`${[command, ...args].join(' ')} ended with ${code}.\n`));
  }
  if (code !== 0) fail(isInterrupted(code) ? 'interrupted' : `failed\n${Buffer.concat(output)}`, code);
  const seconds = (Date.now() - began) / 1000;
  console.log(`done in ${seconds.toFixed(seconds < 10 ? 1 : 0)} s`);
}

function isInterrupted(code) {
  return code > 128;
}

function run(command, args, options, onOutput) {
  return new Promise((resolve) => {
    child = spawn(command, args, { cwd: root, ...options });
    if (onOutput) for (const stream of [child.stdout, child.stderr]) stream.on('data', onOutput);
    child.once('error', (error) => fail(`${command}: ${error.message}`));
    child.once('close', (code, signal) => {
      child = undefined;
      resolve(code ?? { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }[signal] ?? 1);
    });
  });
}

/** `npm start` and `npm test` in one fresh checkout at the same time: the second waits for the first. */
async function alone(work) {
  const lock = join(tmpdir(), `paywall-setup-${createHash('sha256').update(root).digest('hex').slice(0, 16)}`);
  for (let told = false; !takeLock(lock); told = true) {
    if (!told) console.log('Another set-up of this folder is running: waiting for it ...');
    await sleep(200);
  }
  const release = () => rmSync(lock, { force: true });
  process.once('exit', release);
  await work();
  release();
  process.off('exit', release);
}

function takeLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (isAbandoned(lock)) rmSync(lock, { force: true });
  return false;
}

function isAbandoned(lock) {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return Date.now() - statSync(lock).mtimeMs > 20 * 60_000;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** The nearest ancestor that is no shell; known on Linux only. */
function findStarter() {
  let pid = process.ppid;
  while (['sh', 'dash', 'bash'].includes(findProcess(pid)?.name)) pid = findProcess(pid).parent;
  return findProcess(pid) && pid;
}

function isRunning(pid) {
  return ![undefined, 'Z', 'X'].includes(findProcess(pid)?.state);
}

function findProcess(pid) {
  try {
    const [, name, state, parent] = /\((.*)\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return { name, state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

function fail(message, code = 1) {
  console.error(message);
  process.exit(code);
}
