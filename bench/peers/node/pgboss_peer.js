// pg-boss on PostgreSQL. Drains with its fetch() and complete() by 1,000 in a loop, far faster than
// its own worker, work(), which polls every half second at best and is used for pick-up.
const fs = require('fs');
const path = require('path');
const { PgBoss } = require('pg-boss');
const common = require('./common.js');

const QUEUE = 'bench';
const BATCH = 1000;
const PROMPT_BATCH = 100;

async function open(supervise) {
  const boss = new PgBoss({ connectionString: common.url, max: 10, supervise, schedule: false });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  return boss;
}

async function fetchForever(boss) {
  for (;;) {
    const jobs = await boss.fetch(QUEUE, { batchSize: BATCH });
    if (!jobs || jobs.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      continue;
    }
    for (const job of jobs) common.hit(job.data.n);
    await boss.complete(QUEUE, jobs.map((job) => job.id));
  }
}

common.main({
  versions: () => {
    const file = path.join(process.env.NODE_PATH, 'pg-boss', 'package.json');
    return { 'pg-boss': JSON.parse(fs.readFileSync(file)).version, node: process.version };
  },

  prepare: async () => {
    const boss = await open(false);
    await boss.createQueue(QUEUE);
    await boss.stop({ graceful: false });
  },

  enqueue_each: async (jobs) => {
    const boss = await open(false);
    await boss.send(QUEUE, common.payload(0));
    return common.seconds(async () => {
      for (let number = 0; number < jobs; number += 1) await boss.send(QUEUE, common.payload(number));
    });
  },

  enqueue_bulk: async (jobs, size) => {
    const boss = await open(false);
    return common.seconds(async () => {
      for (let start = 0; start < jobs; start += size) {
        const chunk = [];
        for (let number = start; number < Math.min(jobs, start + size); number += 1) {
          chunk.push({ data: common.payload(number) });
        }
        await boss.insert(QUEUE, chunk);
      }
    });
  },

  pick_up: async (jobs) => {
    const boss = await open(false);
    return common.pace(jobs, (number) => boss.send(QUEUE, common.payload(number)));
  },

  work: async (prompt) => {
    const boss = await open(true);
    await common.awaitGo();
    if (prompt) {
      const options = { batchSize: PROMPT_BATCH, pollingIntervalSeconds: 0.5 };
      await boss.work(QUEUE, options, async (jobs) => { for (const job of jobs) common.hit(job.data.n); });
      await new Promise(() => {});
    }
    await fetchForever(boss);
  },
});
