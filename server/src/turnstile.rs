//! Those who come while others are being served wait, and are then served together: one trip to the database for
//! all of them. Alone, nobody waits. What is asked for one is asked after they came, so it is as fresh as their own.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{Notify, oneshot},
    time::timeout,
};

pub struct Turnstile<K, I, O> {
    /// A line is there as long as somebody serves it.
    lines: Mutex<HashMap<K, Line<I, O>>>,
    servers: usize,
    most: usize,
    linger: Duration,
}

struct Line<I, O> {
    waiting: Vec<(I, oneshot::Sender<O>)>,
    servers: usize,
    /// How many were served together last: when as many have come again, nobody lingers for more.
    expected: usize,
    complete: Arc<Notify>,
}

impl<K, I, O> std::fmt::Debug for Turnstile<K, I, O> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Turnstile")
    }
}

impl<K, I, O> Turnstile<K, I, O>
where
    K: Hash + Eq + Clone + Send + 'static,
    I: Send + 'static,
    O: Send + 'static,
{
    /// Up to `servers` serve a line, each `most` at once. Where several came together, as many are waited for again, but
    /// no longer than `linger`.
    pub fn new(servers: usize, most: usize, linger: Duration) -> Arc<Self> {
        Arc::new(Self { lines: Mutex::new(HashMap::new()), servers, most, linger })
    }

    /// Waits in the line of `key`. `serve` answers all in the order given; none if it came to grief.
    pub async fn pass<W, F>(self: &Arc<Self>, key: K, item: I, serve: W) -> Option<O>
    where
        W: Fn(Vec<I>) -> F + Send + 'static,
        F: Future<Output = Vec<O>> + Send + 'static,
    {
        let (tell, told) = oneshot::channel();
        let one_more = {
            let mut lines = self.lock();
            let line =
                lines.entry(key.clone()).or_insert_with(|| Line { waiting: Vec::new(), servers: 0, expected: 0, complete: Arc::default() });
            line.waiting.push((item, tell));
            if line.expected > 0 && line.waiting.len() >= line.expected {
                line.complete.notify_one();
            }
            let one_more = line.servers < self.servers;
            line.servers += usize::from(one_more);
            one_more
        };
        if one_more {
            // In a task of its own: whoever came first may leave before the others are served.
            tokio::spawn(Server { of: self.clone(), key }.run(serve));
        }
        told.await.ok()
    }

    /// The same for a look: whoever finds nobody there looks for themselves, without a task, and those who come
    /// meanwhile are served afterwards. One who leaves in the middle leaves nobody waiting.
    pub async fn pass_or_look<W, F>(self: &Arc<Self>, key: K, item: I, serve: W) -> Option<O>
    where
        W: Fn(Vec<I>) -> F + Send + 'static,
        F: Future<Output = Vec<O>> + Send + 'static,
    {
        let told = {
            let mut lines = self.lock();
            if let Some(line) = lines.get_mut(&key) {
                let (tell, told) = oneshot::channel();
                line.waiting.push((item, tell));
                Err(told)
            } else {
                lines.insert(key.clone(), Line { waiting: Vec::new(), servers: 1, expected: 0, complete: Arc::default() });
                Ok(item)
            }
        };
        match told {
            Err(told) => told.await.ok(),
            Ok(item) => {
                let first = First { of: self.clone(), key: Some(key), serve: Some(serve) };
                let served = first.serve.as_ref().map(|serve| serve(vec![item]))?;
                served.await.pop()
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Line<I, O>>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whoever looks for themselves, and then leaves the line to those who came meanwhile.
struct First<K, I, O, W, F>
where
    K: Hash + Eq + Clone + Send + 'static,
    I: Send + 'static,
    O: Send + 'static,
    W: Fn(Vec<I>) -> F + Send + 'static,
    F: Future<Output = Vec<O>> + Send + 'static,
{
    of: Arc<Turnstile<K, I, O>>,
    key: Option<K>,
    serve: Option<W>,
}

impl<K, I, O, W, F> Drop for First<K, I, O, W, F>
where
    K: Hash + Eq + Clone + Send + 'static,
    I: Send + 'static,
    O: Send + 'static,
    W: Fn(Vec<I>) -> F + Send + 'static,
    F: Future<Output = Vec<O>> + Send + 'static,
{
    fn drop(&mut self) {
        let (Some(key), Some(serve)) = (self.key.take(), self.serve.take()) else { return };
        let mut lines = self.of.lock();
        let waiting = lines.get(&key).is_some_and(|line| !line.waiting.is_empty());
        match tokio::runtime::Handle::try_current() {
            Ok(here) if waiting => drop(here.spawn(Server { of: self.of.clone(), key }.run(serve))),
            _ => drop(lines.remove(&key)),
        }
    }
}

struct Server<K: Hash + Eq, I, O> {
    of: Arc<Turnstile<K, I, O>>,
    key: K,
}

impl<K, I, O> Server<K, I, O>
where
    K: Hash + Eq + Clone + Send + 'static,
    I: Send + 'static,
    O: Send + 'static,
{
    async fn run<W, F>(self, serve: W)
    where
        W: Fn(Vec<I>) -> F + Send + 'static,
        F: Future<Output = Vec<O>> + Send + 'static,
    {
        loop {
            if let Some(complete) = self.expects_more() {
                let _ = timeout(self.of.linger, complete.notified()).await;
            }
            let batch: Vec<_> = {
                let mut lines = self.of.lock();
                let Some(line) = lines.get_mut(&self.key) else { return };
                if line.waiting.is_empty() {
                    line.servers -= 1;
                    if line.servers == 0 {
                        lines.remove(&self.key);
                    }
                    return;
                }
                let size = line.waiting.len().min(self.of.most);
                // It shrinks slowly: one that comes late must not make all others wait for it again and again.
                line.expected = if size > 1 { size.max(line.expected * 3 / 4) } else { 0 };
                line.waiting.drain(..size).collect()
            };
            let (items, tell): (Vec<I>, Vec<_>) = batch.into_iter().unzip();
            for (tell, answer) in tell.into_iter().zip(serve(items).await) {
                // Whoever left does not want to know.
                let _ = tell.send(answer);
            }
        }
    }
}

impl<K: Hash + Eq, I, O> Server<K, I, O> {
    /// Those just served come back one by one, and the first of them would otherwise be served alone.
    fn expects_more(&self) -> Option<Arc<Notify>> {
        let lines = self.of.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let line = lines.get(&self.key)?;
        (line.waiting.len() < line.expected && !self.of.linger.is_zero()).then(|| line.complete.clone())
    }
}

/// A server that came to grief leaves no line behind that nobody serves.
impl<K: Hash + Eq, I, O> Drop for Server<K, I, O> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.of.lines.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Turnstile;
    use std::{sync::Arc, time::Duration};

    #[tokio::test]
    async fn everyone_gets_their_own_answer_and_those_who_waited_were_served_together() {
        let turnstile: Arc<Turnstile<u8, usize, (usize, usize)>> = Turnstile::new(1, 10, Duration::ZERO);
        let pass = |n| {
            let turnstile = turnstile.clone();
            tokio::spawn(async move {
                turnstile
                    .pass(0, n, async |items: Vec<usize>| {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        let size = items.len();
                        items.into_iter().map(|item| (item, size)).collect()
                    })
                    .await
            })
        };
        let all: Vec<_> = (0..25).map(pass).collect();
        let mut largest = 0;
        for (n, one) in all.into_iter().enumerate() {
            let (item, size) = one.await.expect("runs").expect("answered");
            assert_eq!(item, n);
            largest = largest.max(size);
        }
        assert_eq!(largest, 10);
        assert!(turnstile.lock().is_empty(), "no line is left");
    }

    #[tokio::test]
    async fn whoever_looks_alone_leaves_nobody_waiting() {
        let turnstile: Arc<Turnstile<u8, usize, (usize, usize)>> = Turnstile::new(1, 10, Duration::ZERO);
        let look = async |items: Vec<usize>| {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let size = items.len();
            items.into_iter().map(|item| (item, size)).collect()
        };
        assert_eq!(turnstile.pass_or_look(0, 7, look).await, Some((7, 1)));
        assert!(turnstile.lock().is_empty(), "no line is left");
        let pass = |n| {
            let turnstile = turnstile.clone();
            tokio::spawn(async move { turnstile.pass_or_look(0, n, look).await })
        };
        let first = pass(0);
        tokio::time::sleep(Duration::from_millis(5)).await;
        let others: Vec<_> = (1..4).map(pass).collect();
        tokio::time::sleep(Duration::from_millis(5)).await;
        // Given up in the middle: the others are served all the same, together.
        first.abort();
        for (n, one) in (1..4).zip(others) {
            assert_eq!(one.await.expect("runs"), Some((n, 3)));
        }
        assert!(turnstile.lock().is_empty(), "no line is left");
    }

    #[tokio::test]
    async fn after_grief_the_next_are_served() {
        let turnstile: Arc<Turnstile<u8, bool, ()>> = Turnstile::new(1, 10, Duration::ZERO);
        let serve = async |items: Vec<bool>| {
            assert!(items.iter().all(|fine| *fine), "grief");
            items.iter().map(|_| ()).collect()
        };
        assert_eq!(turnstile.pass(0, false, serve).await, None);
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(turnstile.pass(0, true, serve).await, Some(()));
    }
}
