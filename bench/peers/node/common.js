// What the adapters in Node share: the job, the probe of probe.py, pacing, and the command line of
// adapter.py. Node has no mmap, so the probe is read and written as a file.
const fs = require('fs');

const FIRST_SLOT = 200;
const STARTS_BYTE = 65536;
const PICK_UP_PAUSE_MS = 50;

const probe = process.env.BENCH_PROBE ? fs.openSync(process.env.BENCH_PROBE, 'r+') : -1;
const slotByte = 64 * (FIRST_SLOT + Number(process.env.BENCH_WORKER || 0));
const notesStarts = process.env.BENCH_NOTES_STARTS === '1';
let runs = 0;

const now = () => (performance.timeOrigin + performance.now()) / 1000;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function writeNumber(byte, value) {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(BigInt(value));
  fs.writeSync(probe, buffer, 0, 8, byte);
}

function isGo() {
  const buffer = Buffer.alloc(8);
  fs.readSync(probe, buffer, 0, 8, 0);
  return buffer.readBigUInt64LE() === 1n;
}

exports.url = process.env.BENCH_URL;

exports.payload = (number) => ({
  n: number,
  to: `user${String(number % 1000000).padStart(6, '0')}@example.com`,
  subject: 'hello',
});

// The count is written by a timer: a write for each job would cost this peer a system call that
// those in Python, with the file in memory, do not pay.
exports.hit = (number) => {
  runs += 1;
  if (!notesStarts) return;
  const buffer = Buffer.alloc(8);
  buffer.writeDoubleLE(now());
  fs.writeSync(probe, buffer, 0, 8, STARTS_BYTE + 8 * number);
};

exports.awaitGo = async () => {
  writeNumber(slotByte + 8, 1);
  while (!isGo()) await sleep(1);
  setInterval(() => writeNumber(slotByte, runs), 5);
};

exports.seconds = async (work) => {
  const started = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - started) / 1e9;
};

exports.pace = async (jobs, send) => {
  const sent = [];
  for (let number = 0; number < jobs; number += 1) {
    const due = performance.now() + PICK_UP_PAUSE_MS;
    await send(number);
    sent.push(now());
    await sleep(Math.max(0, due - performance.now()));
  }
  return sent;
};

exports.main = async (adapter) => {
  const [command, ...numbers] = process.argv.slice(2);
  const answer = await adapter[command](...numbers.map(Number));
  process.stdout.write(`ANSWER ${JSON.stringify(answer ?? null)}\n`, () => process.exit(0));
};
