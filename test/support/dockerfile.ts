import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * Builds the image of a Dockerfile in folders, and runs programs in it, without Docker: the kernel's namespaces do the rest. The
 * first stage begins with the system of this machine, because no registry of images is needed then. Needs Linux and root.
 */

export interface Image {
  /** The root folder of the last stage. */
  folder: string;
  user: string;
  environment: Record<string, string>;
  workingFolder: string;
}

interface Instruction {
  name: string;
  text: string;
}

interface Stage extends Image {
  isOnSystem: boolean;
}

interface Builder {
  /** The sources, as far as `.dockerignore` lets them in. */
  context: string;
  /** For the stages. It is not removed. */
  work: string;
  stages: Map<string, Stage>;
}

const run = promisify(execFile);
const systemPath = '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export async function buildImage(context: string, work: string): Promise<Image> {
  const builder: Builder = { context, work, stages: new Map() };
  let stage: Stage | undefined;
  for (const { name, text } of instructionsIn(readFileSync(path.join(context, 'Dockerfile'), 'utf8'))) {
    if (name === 'FROM') stage = await beginStage(builder, text);
    else if (stage) await apply(builder, stage, { name, text });
  }
  if (!stage) throw new Error('The Dockerfile has no stage.');
  return stage;
}

function instructionsIn(dockerfile: string): Instruction[] {
  const lines = dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n');
  return lines.flatMap((line) => {
    const [, name, text] = /^([A-Z]+) +(.+)$/.exec(line) ?? [];
    return name === undefined || text === undefined ? [] : [{ name, text }];
  });
}

async function beginStage({ work, stages }: Builder, text: string): Promise<Stage> {
  const [, from = '', name = 'image'] = /^(\S+)(?: AS (\S+))?$/.exec(text) ?? [];
  const folder = path.join(work, name);
  await mkdir(folder, { recursive: true });
  const parent = stages.get(from);
  if (parent) await run('cp', ['-a', `${parent.folder}/.`, folder]);
  const fresh = { user: '0:0', environment: {}, workingFolder: '/', isOnSystem: from.startsWith('node:') };
  const stage = { ...(parent ?? fresh), folder };
  stages.set(name, stage);
  return stage;
}

async function apply(builder: Builder, stage: Stage, { name, text }: Instruction): Promise<void> {
  if (name === 'WORKDIR') {
    stage.workingFolder = text;
    await mkdir(path.join(stage.folder, text), { recursive: true });
  } else if (name === 'USER') stage.user = text;
  else if (name === 'ENV') stage.environment = { ...stage.environment, ...variablesIn(text) };
  else if (name === 'COPY') await copy(builder, stage, text);
  else if (name === 'RUN') await runOnSystem(stage, text);
}

const variablesIn = (text: string) =>
  Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]));

/** As Docker copies: the content of a folder, or files into a folder. */
async function copy(builder: Builder, stage: Stage, text: string): Promise<void> {
  const [, from, names = ''] = /^(?:--from=(\S+) )?(.+)$/.exec(text) ?? [];
  const places = names.split(' ');
  const target = path.resolve('/', stage.workingFolder, places.pop() ?? '');
  const source = from === undefined ? builder.context : (builder.stages.get(from)?.folder ?? '');
  for (const place of places) {
    const at = path.join(source, place);
    const to = path.join(stage.folder, target);
    if (from === undefined && place === '.') await copyContext(at, to);
    else if (lstatSync(at).isDirectory()) {
      await mkdir(to, { recursive: true });
      await run('cp', ['-a', `${at}/.`, to]);
    } else await cp(at, text.endsWith('/') ? path.join(to, path.basename(at)) : to, { recursive: true });
  }
}

/** The lines of `.dockerignore` that let a file or folder in. */
async function copyContext(context: string, to: string): Promise<void> {
  const lines = readFileSync(path.join(context, '.dockerignore'), 'utf8').split('\n');
  if (!lines.includes('*')) throw new Error('.dockerignore does not begin with nothing.');
  for (const line of lines)
    if (line.startsWith('!'))
      await cp(path.join(context, line.slice(1)), path.join(to, line.slice(1)), { recursive: true });
}

/** Folders of this machine, which the first stage sees, and cannot change. */
const systemFolders = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'etc'];

/** Runs a step as root. It sees the system of this machine with the Node.js of the tests, and the folders of its stage. */
async function runOnSystem({ folder, workingFolder, isOnSystem }: Stage, command: string): Promise<void> {
  if (!isOnSystem) throw new Error('A stage without a system has no shell.');
  const root = mkdtempSync(`${folder}-root-`);
  const mounts = [...mountsOfSystem(root), ...mountsOfNode(root), ...mountsOfStage(root, folder)];
  const script = [...mounts, `exec chroot ${root} /bin/sh -ec "$0"`].join('\n');
  await run(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-ec', script, `cd ${workingFolder}\n${command}`],
    {
      env: {
        ...process.env,
        PATH: systemPath,
        HOME: os.homedir(),
        NODE_OPTIONS: '',
        npm_config_prefer_offline: 'true',
      },
      maxBuffer: 64 * 2 ** 20,
    },
  );
}

function mountsOfSystem(root: string): string[] {
  return systemFolders
    .filter((name) => existsSync(`/${name}`))
    .flatMap((name) =>
      lstatSync(`/${name}`).isSymbolicLink()
        ? [`cp -a /${name} ${root}/${name}`]
        : [
            `mkdir ${root}/${name}`,
            `mount --bind /${name} ${root}/${name}`,
            `mount -o remount,ro,bind ${root}/${name}`,
          ],
    )
    .concat(
      ['proc', 'dev'].flatMap((name) => [`mkdir ${root}/${name}`, `mount --rbind /${name} ${root}/${name}`]),
      [`mkdir ${root}/tmp`, `mount -t tmpfs tmpfs ${root}/tmp`],
      // The settings and the cache of npm.
      [`mkdir -p ${root}${os.homedir()}`, `mount --bind ${os.homedir()} ${root}${os.homedir()}`],
    );
}

/** As in the image of Node.js: `node`, its licence and npm are in `/usr/local`. */
function mountsOfNode(root: string): string[] {
  const local = `${root}/usr/local`;
  const npm = path.resolve(process.env['npm_execpath'] ?? '/usr/lib/node_modules/npm/bin/npm-cli.js', '../..');
  return [
    `mount -t tmpfs tmpfs ${local}`,
    `mkdir -p ${local}/bin ${local}/lib/node_modules/npm`,
    `cp ${process.execPath} ${local}/bin/node`,
    `touch ${local}/LICENSE`,
    `mount --bind ${npm} ${local}/lib/node_modules/npm`,
    `ln -s ../lib/node_modules/npm/bin/npm-cli.js ${local}/bin/npm`,
  ];
}

const mountsOfStage = (root: string, folder: string) =>
  readdirSync(folder).flatMap((name) => [`mkdir ${root}/${name}`, `mount --bind ${folder}/${name} ${root}/${name}`]);

/**
 * Starts a program of the image as Docker does: as the user of the image, without other groups, on a root folder that cannot be
 * written. The variables replace those of this process.
 */
export function startInImage(image: Image, command: readonly string[], variables: NodeJS.ProcessEnv): ChildProcess {
  const { folder, user, workingFolder, environment } = image;
  const [uid = '', gid = ''] = user.split(':');
  for (const name of ['proc', 'dev']) mkdirSync(path.join(folder, name), { recursive: true });
  const script = [
    `mount --bind ${folder} ${folder}`,
    `mount -o remount,ro,bind ${folder}`,
    ...['proc', 'dev'].map((name) => `mount --rbind /${name} ${folder}/${name}`),
    `mount -t tmpfs tmpfs ${folder}/tmp`,
    'setpriv=$(command -v setpriv) unshare=$(command -v unshare)',
    // From here on programs of the image are looked for.
    `export PATH=${environment['PATH'] ?? ''}`,
    `exec $setpriv --clear-groups --no-new-privs \
      $unshare --root=${folder} --wd=${workingFolder} --setgid=${gid} --setuid=${uid} -- "$@"`,
  ].join('\n');
  return spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-ec', script, 'image', ...command], {
    env: { ...environment, ...variables, PATH: systemPath },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export interface ImageFile {
  name: string;
  sizeBytes: number;
  mode: number;
}

/** The files below a folder of an image, without links. */
export function listFiles(folder: string): ImageFile[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).flatMap((entry) => {
    if (!entry.isFile()) return [];
    const name = path.join(entry.parentPath, entry.name);
    const { size: sizeBytes, mode } = lstatSync(name);
    return [{ name, sizeBytes, mode }];
  });
}
