import { type IncomingMessage } from 'node:http';
import busboy from '@fastify/busboy';
import { parseForm, readBody } from './body';
import { AppError } from './errors';

export interface Upload {
  fields: Record<string, unknown>;
  /** Undefined if no file was chosen. A file above the limit is one byte longer than the limit: the rest is dropped. */
  file?: Buffer | undefined;
}

const fieldsMax = 50;
const fieldBytesMax = 10_000;
/** The rest of a large file is read and dropped, so that the browser shows the page that names the error. */
const readFilesMax = 8;

/** Reads a form with one file of at most `bytesMax`. A form without a file may have any type of form. */
export async function readUpload(request: IncomingMessage, bytesMax: number): Promise<Upload> {
  const isMultipart = /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '');
  return isMultipart ? readParts(request, bytesMax) : { fields: (await readBody(request)).fields };
}

function readParts(request: IncomingMessage, bytesMax: number): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const pairs: string[] = [];
    const file: Buffer[] = [];
    const refuse = (error: AppError) => {
      request.unpipe().resume();
      reject(error);
    };
    const fail = () => refuse(new AppError('malformed_request', { explain: 'The multipart body is unreadable.' }));
    try {
      const parser = openParser(request, bytesMax);
      parser.on('field', (name: string, value: string, _isNameCut: boolean, isValueCut: boolean) => {
        if (isValueCut) refuse(new AppError('body_too_large'));
        pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
      });
      parser.on('file', (_name, part) => part.on('data', (chunk: Buffer) => file.push(chunk)).on('error', fail));
      parser.on('filesLimit', fail).on('fieldsLimit', fail).on('error', fail);
      parser.on('finish', () => {
        const bytes = Buffer.concat(file);
        asPromise(
          () => ({ fields: parseForm(pairs.join('&')), file: bytes.length > 0 ? bytes : undefined }),
          resolve,
          reject,
        );
      });
      countBytes(request, bytesMax * readFilesMax, () => refuse(new AppError('body_too_large')));
      request.on('error', fail).pipe(parser);
    } catch {
      fail();
    }
  });
}

function openParser(request: IncomingMessage, bytesMax: number) {
  return busboy({
    headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
    limits: { fields: fieldsMax, files: 1, fieldSize: fieldBytesMax, fileSize: bytesMax + 1 },
  });
}

function countBytes(request: IncomingMessage, bytesMax: number, refuse: () => void): void {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) refuse();
  });
}

function asPromise<T>(work: () => T, resolve: (value: T) => void, reject: (error: unknown) => void): void {
  try {
    resolve(work());
  } catch (error) {
    reject(error);
  }
}
