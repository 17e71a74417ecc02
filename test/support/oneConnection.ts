/** A pool with one connection: a query outside the open transaction waits for itself and answers 503. */
process.env['DATABASE_POOL'] = '1';
