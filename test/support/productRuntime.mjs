import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import Module, { createRequire, isBuiltin } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import { transformSync } from '@swc/core';
import Runtime from 'jest-runtime';
import { rememberObservers, stopObservers } from './processObservers.mjs';
import { rememberEstimator, rememberHashes } from './rememberedHashes.mjs';

/**
 * Node loads the product and the packages, and jest loads the tests. Jest would load every package again for every test
 * file, which takes seconds. Each test file still has the modules of the product for itself.
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const packages = join(root, 'node_modules') + sep;
const rooms = ['src', 'workflows', 'activities', 'workers', 'scripts', 'bench'].map((room) => join(root, room) + sep);
const isProduct = (file) => rooms.some((room) => file.startsWith(room));

rememberHashes();
rememberEstimator();
rememberObservers();

const { cache, extensions } = createRequire(import.meta.url);

/**
 * By the name of the file. A process compiles each file once: the functions of a module that was loaded again share what V8
 * has compiled and optimized.
 */
const compiled = new Map();
const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];
extensions['.ts'] = (module, filename) => {
  const run = compiled.get(filename) ?? compileFunction(compile(filename), parameters, { filename });
  compiled.set(filename, run);
  run.call(module.exports, module.exports, requireOf(module), module, filename, dirname(filename));
};

function requireOf(module) {
  const require = (name) => module.require(name);
  require.resolve = (name) => Module._resolveFilename(name, module);
  return require;
}

/** Read before any test replaces `process.env`. */
const dataFolder = process.env.TEST_DATA_DIR;

/** The source map of each compiled file, as a file: jest translates the lines of errors with them. */
const sourceMaps = new Map();

/** All processes of a run share what one of them has compiled: no source changes while the tests run. */
function compile(filename) {
  const folder = join(dataFolder, 'compiled');
  const name = join(folder, createHash('sha256').update(filename).digest('hex'));
  sourceMaps.set(filename, `${name}.map`);
  if (existsSync(`${name}.js`)) return readFileSync(`${name}.js`, 'utf8');
  const { code, map } = transformSync(readFileSync(filename, 'utf8'), {
    filename,
    swcrc: false,
    sourceMaps: true,
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  });
  mkdirSync(folder, { recursive: true });
  writeWhole(`${name}.map`, map);
  writeWhole(`${name}.js`, code);
  return code;
}

/** Another process never reads half a file. */
function writeWhole(path, text) {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, text);
  renameSync(unfinished, path);
}

/** Removes the modules of the product, and returns them. The next import loads new ones. */
function takeProduct() {
  const taken = Object.fromEntries(Object.entries(cache).filter(([file]) => isProduct(file)));
  for (const file of Object.keys(taken)) delete cache[file];
  return taken;
}

function returnProduct(taken) {
  takeProduct();
  Object.assign(cache, taken);
}

/** Objects of these classes pass between the tests and the product, which recognize them by their class. */
const sharedClasses = ['Date', 'Map', 'Set', 'Error', 'RangeError', 'SyntaxError', 'TypeError'];

export default class ProductRuntime extends Runtime {
  constructor(config, environment, resolver, transformer, files, coverage, testPath, globalConfig) {
    super(config, environment, resolver, transformer, files, coverage, testPath, globalConfig);
    // Jest replaces only modules and timers that it has loaded itself.
    this.replacesModules = /\bjest\.(doMock|mock|useFakeTimers)\(/.test(readFileSync(testPath, 'utf8'));
    // One for each test file, because it keeps a list of what it has loaded.
    this.require = createRequire(import.meta.url);
    this.mocks = environment.moduleMocker;
    this.before = { console, environment: process.env, variables: { ...process.env } };
    Object.defineProperty(environment.global.process, 'env', {
      get: () => process.env,
      set: (variables) => (process.env = variables),
    });
    globalThis.console = environment.global.console;
    for (const name of sharedClasses) environment.global[name] = globalThis[name];
  }

  requireModule(from, moduleName, options, isRequireActual) {
    const file = options || this.replacesModules ? undefined : findOutside(from, moduleName);
    if (file === undefined) return super.requireModule(from, moduleName, options, isRequireActual);
    const loaded = this.require(file);
    for (const [source, map] of sourceMaps) this.getSourceMaps().set(source, map);
    return loaded;
  }

  isolateModules(work) {
    const taken = takeProduct();
    try {
      super.isolateModules(work);
    } finally {
      returnProduct(taken);
    }
  }

  async isolateModulesAsync(work) {
    const taken = takeProduct();
    try {
      await super.isolateModulesAsync(work);
    } finally {
      returnProduct(taken);
    }
  }

  resetModules() {
    super.resetModules();
    takeProduct();
  }

  teardown() {
    super.teardown();
    // A spy on a shared class must not reach the next file.
    this.mocks?.restoreAllMocks();
    stopObservers();
    const { environment, variables } = this.before;
    globalThis.console = this.before.console;
    process.env = environment;
    for (const name of Object.keys(environment)) if (!(name in variables)) delete environment[name];
    Object.assign(environment, variables);
  }
}

/** The file of a module of the product or of a package; undefined for any other module. */
function findOutside(from, moduleName) {
  if (moduleName === undefined || isBuiltin(moduleName)) return undefined;
  const file = resolve(from, moduleName);
  return file !== undefined && (file.startsWith(packages) || isProduct(file)) ? file : undefined;
}

function resolve(from, moduleName) {
  // The compiler wants `.js` in a dynamic import of a CommonJS file; here the file is still `.ts`.
  const names = [moduleName, moduleName.replace(/^(\..*)\.js$/, '$1')];
  for (const name of names)
    try {
      return createRequire(from).resolve(name);
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  return undefined;
}
