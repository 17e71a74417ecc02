import { storeSetUp } from '../../support/storeSetUp';

const roku = storeSetUp('roku', 'channel_id');

test('200: the store is set up, and no secret is answered', () => roku.answersNoSecret());

test('200: it lies sealed in the database, and what was there before is gone', () => roku.liesSealed());

test('200: the audit log tells who did it', () => roku.isAudited());

test('422 invalid_input: a field that cannot be right', () => roku.refuses({ channel_id: 'not a number' }));
