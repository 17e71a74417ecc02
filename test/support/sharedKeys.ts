import { keyPair } from './keys';

/** Two replicas in one process accept each other's tokens. Import this before any module of the product. */
process.env['JWT_KEYS'] = JSON.stringify([keyPair('shared').jwk]);
