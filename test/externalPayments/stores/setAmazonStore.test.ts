import { storeSetUp } from '../../support/storeSetUp';

const amazon = storeSetUp('amazon', 'package_name');

test('200: the store is set up, and no secret is answered', () => amazon.answersNoSecret());

test('200: it lies sealed in the database, and what was there before is gone', () => amazon.liesSealed());

test('200: the audit log tells who did it', () => amazon.isAudited());

test('422 invalid_input: a field that cannot be right', () => amazon.refuses({ topic_arn: 'not an arn' }));
