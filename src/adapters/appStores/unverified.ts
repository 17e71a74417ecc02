import { AppError } from '../../kit/errors';

/** Reads what anyone can have sent. Throws `invalid_signature` if it cannot be read. */
export function readSigned<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw new AppError('invalid_signature');
  }
}

/** Undefined if it cannot be read. */
export function tryToRead<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
