import { catalogue } from '@/i18n';
import type { Finding } from './queries';

export const crashMessages = catalogue(
  {
    title: 'What a crash can lose',
    count: '{n} setting | {n} settings',
    what: 'In the database, acknowledged writes. In Redis, purchases that were accepted and are no orders yet: they then read as rejected.',
    nothingFound: 'Nothing',
    nothingFoundHint: 'Every setting is as the promises need it.',
    setting: 'Setting',
    is: 'Is',
    process: 'Engine crashes',
    machine: 'Machine crashes',
    failover: 'Failover',
    memory: 'Memory full',
    todo: 'What to do',
    database: 'Database',
    redis: 'Redis',
    node: 'node {n}',
    level_ok: 'OK',
    level_risk: 'Risk',
    level_unknown: 'Cannot be read',
    level_broken: 'Does not work',
    extent_nothing: 'nothing',
    extent_moments: 'the last moments',
    extent_second: 'about a second',
    extent_half_minute: 'up to some 30 seconds',
    extent_since_snapshot: 'all since the last snapshot',
    extent_everything: 'everything',
    extent_evicted_keys: 'any key',
    extent_held_locks: 'held locks, kept replies',
    extent_torn_pages: 'the file may be damaged',
    extent_unknown: 'unknown',
    set: 'Set it to {want}.',
    ask: 'Ask your provider.',
    see: 'See why it does not answer.',
    writes: 'Make it take writes.',
    room: 'Make room on its disk.',
    grow: 'Raise maxmemory.',
    synchronise: 'Synchronise the clocks (NTP).',
    bound: 'Bound it with min-replicas-to-write.',
    semiSync: 'Replicate semi-synchronously (AFTER_SYNC).',
    back: 'Bring its replicas back.',
    majority: 'Bring its cluster a majority again.',
    third: 'Add a third server, or an arbitrator (garbd).',
    oneWriter: 'Have all replicas write to one server. No promise suffers from several; conflicts cost time.',
    oneServer: 'Lead all connections to one server.',
    session: 'Connect to the server itself, or have the proxy leave the settings of sessions as they are.',
    convert: 'Convert the tables to {want}.',
    untried: 'Nobody has tried the service on it: see docs/engines.md.',
    look: 'See admin doctor.',
    memoryOf: 'Redis{node} uses {used} of {limit} MB',
    memoryOpen: 'Redis{node} uses {used} MB, without a limit',
    evicted: '{n} key dropped | {n} keys dropped',
    clock: '{engine}: clock {skew} s (± {error} ms)',
  },
  {
    title: '崩溃可能丢失什么',
    count: '{n} 项设置',
    what: '数据库：已确认的写入。Redis：已受理但尚未成为订单的购买，丢失后显示为已拒绝。',
    nothingFound: '没有',
    nothingFoundHint: '所有设置都符合承诺的要求。',
    setting: '设置',
    is: '当前值',
    process: '引擎崩溃',
    machine: '机器崩溃',
    failover: '故障切换',
    memory: '内存已满',
    todo: '应对',
    database: '数据库',
    redis: 'Redis',
    node: '节点 {n}',
    level_ok: '正常',
    level_risk: '有风险',
    level_unknown: '无法读取',
    level_broken: '异常',
    extent_nothing: '无',
    extent_moments: '最近片刻',
    extent_second: '约 1 秒',
    extent_half_minute: '最多约 30 秒',
    extent_since_snapshot: '上次快照以来的全部',
    extent_everything: '全部',
    extent_evicted_keys: '任意键',
    extent_held_locks: '持有的锁、保留的回复',
    extent_torn_pages: '文件可能损坏',
    extent_unknown: '未知',
    set: '设为 {want}。',
    ask: '请询问服务商。',
    see: '查明它为何没有响应。',
    writes: '使其可以写入。',
    room: '为其磁盘腾出空间。',
    grow: '提高 maxmemory。',
    synchronise: '同步时钟（NTP）。',
    bound: '用 min-replicas-to-write 加以限制。',
    semiSync: '使用半同步复制（AFTER_SYNC）。',
    back: '恢复其副本。',
    majority: '使其集群重新获得多数。',
    third: '增加第三台服务器或仲裁节点（garbd）。',
    oneWriter: '让所有副本写入同一台服务器。多处写入不损害任何承诺，但冲突会耗费时间。',
    oneServer: '将所有连接导向同一台服务器。',
    session: '直接连接服务器，或让代理保持会话设置不变。',
    convert: '将这些表转换为 {want}。',
    untried: '尚未有人在其上试用过本服务：参见 docs/engines.md。',
    look: '参见 admin doctor。',
    memoryOf: 'Redis{node} 使用 {used} / {limit} MB',
    memoryOpen: 'Redis{node} 使用 {used} MB，无上限',
    evicted: '已丢弃 {n} 个键',
    clock: '{engine}：时钟 {skew} 秒（± {error} 毫秒）',
  },
);

type Advice =
  | ('ask' | 'see' | 'writes' | 'room' | 'grow' | 'synchronise' | 'bound' | 'semiSync' | 'set' | 'look')
  | ('back' | 'majority' | 'third' | 'oneWriter' | 'oneServer' | 'session' | 'convert' | 'untried');

/** The advice for a finding by name, for any value. */
const byName: Readonly<Record<string, Advice>> = {
  read_only: 'writes',
  aof_last_write_status: 'room',
  storage_engine: 'convert',
  isolation: 'session',
  wsrep_sync_wait: 'session',
  wsrep_cluster_status: 'majority',
  wsrep_cluster_size: 'third',
  writers: 'oneWriter',
  group_replication_group_name: 'oneWriter',
  servers: 'oneServer',
  version: 'untried',
};

/** The advice for a finding: by name, or by its value if a single value removes the risk. */
export function adviceOf({ engine, name, level, want }: Finding): Advice {
  if (level === 'unknown') return 'ask';
  if (name === engine) return 'see';
  const known = byName[name];
  if (known !== undefined) return known;
  if (name === 'replicas' && level === 'broken') return 'back';
  if (want !== undefined) return 'set';
  if (name === 'memory') return 'grow';
  if (name === 'clock') return 'synchronise';
  if (name === 'replicas') return engine === 'redis' ? 'bound' : 'semiSync';
  return 'look';
}
