import { storeSetUp } from '../../support/storeSetUp';

const apple = storeSetUp('apple', 'bundle_id');

test('200: the store is set up, and no secret is answered', () => apple.answersNoSecret());

test('200: it lies sealed in the database, and what was there before is gone', () => apple.liesSealed());

test('200: the audit log tells who did it', () => apple.isAudited());

test('422 invalid_input: a field that cannot be right', () => apple.refuses({ private_key: 'not a key' }));
