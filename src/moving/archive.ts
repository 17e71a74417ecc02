import { createHmac, hkdfSync } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { openBytesWith, sealWith } from '../kit/sealing';

/**
 * The file in which a merchant travels: a first line, then parts. Each part is its length, and JSON that is compressed and
 * sealed with the transfer key and the number of the part. So a part that was changed, left out or moved does not open, and a
 * file without its last part was cut off.
 */

/** What the operator reads instead of a result. Nothing was changed. */
export class MoveRefusal extends Error {}

export interface ArchiveHeader {
  part: 'header';
  /** The name of the file, a uuid. */
  id: string;
  madeAt: string;
  merchantId: number;
  merchantUuid: string;
  /** The merchant and its followers. */
  merchantIds: number[];
  /** The migrations of the schema with their checksums, in order. */
  migrations: string[];
  /** The hash of the code that starts the merchant. */
  codeHash: string;
  /** The versions of the pepper that its passwords need, each with its check. */
  peppers: [version: number, check: string][];
  /** The payment accounts of the first installation that hold cards of the merchant. */
  sharedAccounts: string[];
  /** The key of the hashes of used trials, in base64. */
  trialKey: string;
  /** The highest number that each sequence has given to the merchant. */
  sequences: Record<string, number>;
}

export interface ArchiveRows {
  part: 'rows';
  table: string;
  columns: string[];
  rows: (string | null)[][];
}

export interface ArchiveEnd {
  part: 'end';
  /** The number of rows of each table. */
  counts: Record<string, number>;
}

export type ArchivePart = ArchiveHeader | ArchiveRows | ArchiveEnd;

const firstLine = Buffer.from('subscription-paywall merchant 1\n');
const lengthBytes = 4;
const longestPart = 512 * 1024 * 1024;
const keyBytes = 32;

const compress = promisify<Buffer, Buffer>(gzip);
const decompress = promisify<Buffer, Buffer>(gunzip);

/** The key in a file: 32 bytes in base64. */
export function readTransferKey(text: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== keyBytes)
    throw new MoveRefusal('The key file must contain 32 bytes in base64: openssl rand -base64 32 > FILE');
  return key;
}

const keyOfPart = (key: Buffer, number: number) =>
  Buffer.from(hkdfSync('sha256', key, '', `merchant move, part ${number}`, keyBytes));

export const hashOfCode = (code: string): string => createHmac('sha256', 'merchant move').update(code).digest('hex');

export class ArchiveWriter {
  private parts = 0;

  private constructor(
    private readonly file: FileHandle,
    private readonly key: Buffer,
  ) {}

  /** Refuses a file that exists. */
  static async create(path: string, key: Buffer): Promise<ArchiveWriter> {
    const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      throw new MoveRefusal(`The file cannot be written: ${error.message}`);
    });
    await file.writeFile(firstLine);
    return new ArchiveWriter(file, key);
  }

  async write(part: ArchivePart): Promise<void> {
    const content = await compress(Buffer.from(JSON.stringify(part)));
    const sealed = sealWith(keyOfPart(this.key, this.parts), content);
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32BE(sealed.length);
    await this.file.writeFile(Buffer.concat([length, sealed]));
    this.parts += 1;
  }

  /** The file is on the disk afterwards. */
  async close(): Promise<void> {
    await this.file.sync();
    await this.file.close();
  }
}

/** Reads the parts in order. Throws a `MoveRefusal` at the first fault of the file. */
export async function* readArchive(path: string, key: Buffer): AsyncGenerator<ArchivePart> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new MoveRefusal(`The file cannot be read: ${error.message}`);
  });
  try {
    const start = await readExactly(file, firstLine.length);
    if (!start?.equals(firstLine)) throw new MoveRefusal('The file was not made by npm run merchant:export.');
    for (let number = 0; ; number += 1) {
      const part = await readPart(file, key, number);
      yield part;
      if (part.part === 'end') break;
    }
    if ((await readExactly(file, 1)) !== undefined) throw damaged();
  } finally {
    await file.close();
  }
}

async function readPart(file: FileHandle, key: Buffer, number: number): Promise<ArchivePart> {
  const length = (await readExactly(file, lengthBytes))?.readUInt32BE();
  if (length === undefined) throw cutOff();
  if (length > longestPart) throw damaged();
  const sealed = await readExactly(file, length);
  if (!sealed) throw cutOff();
  const content = openPart(sealed, keyOfPart(key, number), number);
  // `ArchiveWriter` wrote the part: it was sealed with the key.
  return JSON.parse((await decompress(content)).toString('utf8')) as ArchivePart;
}

function openPart(sealed: Buffer, key: Buffer, number: number): Buffer {
  try {
    return openBytesWith(key, sealed);
  } catch {
    throw number === 0 ? new MoveRefusal('The key does not open the file, or the file was changed.') : damaged();
  }
}

const cutOff = () => new MoveRefusal('The file was cut off. Copy it again, and compare its checksum (sha256sum).');
const damaged = () => new MoveRefusal('The file was changed. Copy it again, and compare its checksum (sha256sum).');

/** Undefined at the end of the file. */
async function readExactly(file: FileHandle, length: number): Promise<Buffer | undefined> {
  const buffer = Buffer.alloc(length);
  for (let read = 0; read < length;) {
    const { bytesRead } = await file.read(buffer, read, length - read);
    if (bytesRead === 0) return undefined;
    read += bytesRead;
  }
  return buffer;
}
