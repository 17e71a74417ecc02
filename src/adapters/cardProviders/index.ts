import { pool } from '../postgres/connection';
import { baseUrl } from '../settings';
import { type CardProvider } from './provider';
import { createSandbox, type Sandbox } from './sandbox';

/** The sandbox of this installation: its pages answer for the customer's bank. */
export const sandbox: Sandbox = createSandbox({ query: (text, values) => pool.query(text, values), baseUrl });

/** The provider that charges cards here (`CARD_PROVIDER`). */
export const cardProvider: CardProvider = sandbox;
