import type * as Webauthn from '@simplewebauthn/server';
import { lazily } from '../../kit/lazily';

/** Loaded at the first use of a passkey: its parser of certificates takes several megabytes. */
export const webauthn = lazily<typeof Webauthn>(require, '@simplewebauthn/server');
